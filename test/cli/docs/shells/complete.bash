# What bash offers for each line of stdin, with the completion script $1: `== line`, then a word a line.
source "$1"
function=$(complete -p cct | sed 's/.* -F \([^ ]*\) .*/\1/')
defaults=$(complete -p cct)

# Outside of a real completion compopt only complains; here it says whether files are offered where nothing else is.
compopt() { [[ $* == '+o default' ]] && files=no; }

while IFS= read -r line; do
  echo "== $line"
  COMP_WORDBREAKS=$' \t\n=' COMP_LINE=$line COMP_POINT=${#line} files=yes
  read -ra COMP_WORDS <<<"$line"
  [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  "$function" cct
  if [[ ${#COMPREPLY[@]} == 0 && $files == yes && $defaults == *'-o default'* ]]; then
    compgen -f -- "${COMP_WORDS[COMP_CWORD]#--*=}"
  else
    ((${#COMPREPLY[@]})) && printf '%s\n' "${COMPREPLY[@]}"
  fi
done
