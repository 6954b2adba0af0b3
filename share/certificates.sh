#!/bin/sh
# Makes what tasks on several hosts need to trust each other: an authority, and one certificate with
# its key that all tasks of your runs use.
#   sh share/certificates.sh FOLDER [DAYS]
# Copy task.crt, task.key and authority.crt to every host, and start the tasks with
#   --certificate=task.crt --private_key=task.key --certificate_authority=authority.crt
# Whoever has task.key can take part in your runs. authority.key makes further certificates: keep it.
set -eu
[ $# -ge 1 ] || { echo "certificates: name a folder: sh share/certificates.sh FOLDER [DAYS]" >&2; exit 2; }
folder=$1
days=${2:-365}
mkdir -p "$folder"
cd "$folder"
umask 077
curve="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"

# shellcheck disable=SC2086  # a list of words
openssl req -x509 $curve -keyout authority.key -out authority.crt -days "$days" \
  -subj "/CN=convoy authority"
# shellcheck disable=SC2086
openssl req $curve -keyout task.key -out task.csr -subj "/CN=convoy"
printf 'subjectAltName=DNS:convoy\nextendedKeyUsage=serverAuth,clientAuth\n' >task.extensions
openssl x509 -req -in task.csr -CA authority.crt -CAkey authority.key -CAcreateserial -days "$days" \
  -extfile task.extensions -out task.crt
rm -f task.csr task.extensions authority.srl
