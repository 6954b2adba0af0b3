# Completion of convoy's verbs, flags and values in bash: the program itself knows them.
_convoy() {
  local line="${COMP_LINE:0:COMP_POINT}" words begun candidate
  read -r -a words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  begun="${words[-1]}"
  COMPREPLY=()
  while IFS= read -r candidate; do
    # bash completes what stands behind the last '=' by itself.
    [[ $begun == *=* && $COMP_WORDBREAKS == *=* ]] && candidate="${candidate#*=}"
    COMPREPLY+=("$candidate")
  done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -o default -o nosort -F _convoy convoy
