#!/bin/sh
# gpu_tests_test.sh SCRIPT FOLDER: whether share/gpu_tests.sh names what failed, on made-up tools.
set -eu
script="$1"
folder="$2"

tool() { # path; its text comes from standard input
  { echo '#!/bin/sh'; cat; } > "$1"
  chmod +x "$1"
}
expect() { # line that the script must say
  grep -qx -- "$1" "$folder/said" && return
  echo "the script did not say '$1', but:"
  cat "$folder/said"
  exit 1
}

unset CUDA_VISIBLE_DEVICES
rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/tools"
tool "$folder/bin/convoy" <<'END'
case "$*" in
  *vgg16*) echo 'a batch'; echo 'does not fit'; exit 3 ;;
  *alexnet*) exec sleep 60 ;;
  *) echo 'hash of parameters 12' ;;
esac
END
tool "$folder/tools/ctest" <<'END'
case "$*" in *'-L gpu'*) ;; *) exit 0 ;; esac
echo '[  FAILED  ] Layers.Agree/f16, where GetParam() = f16 (3 ms)'
echo '[  FAILED  ] 1 test, listed below:'
echo 'The following tests FAILED:'
echo '	  7 - gpu.device_test (Failed)'
exit 8
END
tool "$folder/tools/nvidia-smi" <<'END'
echo 'GPU 0: made up'
END
if CONVOY_GPU_SECONDS=1 PATH="$folder/tools:$PATH" sh "$script" "$folder" "$folder/results" > "$folder/said"; then
  echo 'failures did not show in the exit status'
  exit 1
fi
expect '        Layers.Agree/f16'
expect '        gpu.device_test (Failed)'
expect '        does not fit'
expect '        it did not end within 1 s'
expect 'ok      host-side tests'
expect 'some FAILED'
if grep -q '^ *1 test' "$folder/said"; then
  echo 'a count was taken for a test'
  exit 1
fi

# As many lines as `convoy info` breaks the reason into.
tool "$folder/bin/convoy" <<'END'
echo 'path       /made/up'
echo 'unusable   here: no NVIDIA driver: libcuda.so.1 cannot be opened (no such'
echo '           file); install the driver of the GPU'
echo ''
echo 'options, with their defaults:'
echo '  --tf32=false  (bool)'
END
status=0
PATH="$folder/tools:$PATH" sh "$script" "$folder" "$folder/results" > "$folder/said" || status=$?
[ "$status" -eq 77 ] || { echo "without a GPU the script ended with $status"; exit 1; }
expect 'no CUDA device can be used: no NVIDIA driver: libcuda.so.1 cannot be opened (no such file); install the driver of the GPU'
rm -rf "$folder"
