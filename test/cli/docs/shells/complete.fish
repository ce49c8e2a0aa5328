# What fish offers for each line of stdin, with the completion script $argv[1]: `== line`, then a word a line.
source $argv[1]
while read -l line
    echo "== $line"
    complete -C "$line" | string replace -r '\t.*' ''
end
