# What zsh offers for each line of stdin, with the completion script $1: `== line`, then a word a line. $2 is an empty folder.
# Completion runs in the line editor only, and the editor on a terminal only, so a second zsh gets one of its own.
zmodload zsh/zpty
export ZDOTDIR=$2
cp $1 $ZDOTDIR/_cct
cat >$ZDOTDIR/lines
cat >$ZDOTDIR/.zshrc <<'ZSHRC'
fpath=($ZDOTDIR $fpath)
autoload -Uz compinit
compinit -u -d $ZDOTDIR/dump
# What is added to the list is written down; calls with -O, -A or -D only sort words for somebody else.
compadd() {
  local -a words options=(${@[1,(i)--]})
  if (( ! ${options[(I)-[OAD]]} )); then
    builtin compadd -O words "$@"
    print -rl -- $words >>$ZDOTDIR/offered
  fi
  builtin compadd "$@"
}
zle-line-init() {
  local line
  while IFS= read -r line; do
    print -r -- "== $line" >>$ZDOTDIR/offered
    BUFFER=$line CURSOR=$#line
    zle list-choices
  done <$ZDOTDIR/lines
  exit
}
zle -N zle-line-init
ZSHRC
zpty editor zsh -d -i
while zpty -r editor; do :; done >/dev/null
cat $ZDOTDIR/offered
