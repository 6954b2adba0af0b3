# Completion of convoy's verbs, flags and values in fish: the program itself knows them.
function __convoy_complete
    set -l words (commandline -opc)
    $words[1] complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c convoy -a '(__convoy_complete)'
