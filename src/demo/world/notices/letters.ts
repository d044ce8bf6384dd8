import { added as add, type Pushed } from '../../world-types.ts'

const main = `package main

import (
	"log"
	"net/http"
)

func main() {
	http.HandleFunc("POST /notices", take)
	log.Fatal(http.ListenAndServe(":8070", nil))
}
`

const pipeline = `test:
  image: golang:1.26
  script:
    - go vet ./...
    - go test ./...
`

const notice = `package main

import "time"

// Notice is what somebody who waits for a boat is told.
type Notice struct {
	Boat    string
	Text    string
	At      time.Time
	Targets []string
}
`

const take = `package main

import (
	"encoding/json"
	"net/http"
)

func take(w http.ResponseWriter, r *http.Request) {
	var notice Notice
	if err := json.NewDecoder(r.Body).Decode(&notice); err != nil {
		http.Error(w, "this is no notice", http.StatusBadRequest)
		return
	}
	queue <- notice
	w.WriteHeader(http.StatusAccepted)
}
`

/** Letters and queues: the first two months. */
export const letters: readonly Pushed[] = [
  [
    '98d 9:30',
    'noor',
    'Take notices',
    {
      'README.md': '# Notices\n\nTells people who have asked for it that their boat is late.\n',
      'go.mod': 'module slipway.example/notices\n\ngo 1.26\n',
      'main.go': main,
      'notice.go': notice,
      'take.go': take,
    },
  ],
  ['98d 11:20', 'noor', 'Keep them in a queue', { 'queue.go': 'package main\n\nvar queue = make(chan Notice, 100)\n' }],
  ['98d 15:00', 'noor', 'Test every push', { '.gitlab-ci.yml': pipeline }],
  [
    '97d 10:15',
    'noor',
    'Send them one after another',
    {
      'send.go':
        'package main\n\n// Sender passes a notice on.\ntype Sender interface {\n\tSend(notice Notice, to string) error\n}\n\nfunc deliver(sender Sender) {\n\tfor notice := range queue {\n\t\tfor _, to := range notice.Targets {\n\t\t\tsender.Send(notice, to)\n\t\t}\n\t}\n}\n',
    },
  ],
  [
    '97d 13:45',
    'noor',
    'Log what could not be sent',
    {
      'send.go': [
        [
          '\t\t\tsender.Send(notice, to)',
          '\t\t\tif err := sender.Send(notice, to); err != nil {\n\t\t\t\tlog.Print(err)\n\t\t\t}',
        ],
        ['package main\n', 'package main\n\nimport "log"\n'],
      ],
    },
  ],
  [
    '95d 9:10',
    'noor',
    'Write mails',
    {
      'mail.go':
        'package main\n\nimport "net/smtp"\n\ntype mailSender struct{ host, from string }\n\nfunc (m mailSender) Send(notice Notice, to string) error {\n\treturn smtp.SendMail(m.host, nil, m.from, []string{to}, []byte(notice.Text))\n}\n',
    },
  ],
  [
    '95d 11:35',
    'noor',
    'Give mails a subject',
    { 'mail.go': [['[]byte(notice.Text)', '[]byte("Subject: "+notice.Boat+"\\r\\n\\r\\n"+notice.Text)']] },
  ],
  [
    '94d 10:40',
    'noor',
    'Refuse subjects of several lines (#2)',
    {
      'clean.go':
        'package main\n\nimport "strings"\n\n// oneLine keeps a text from adding headers to a mail.\nfunc oneLine(text string) string {\n\treturn strings.Join(strings.Fields(text), " ")\n}\n',
    },
  ],
  [
    '94d 14:20',
    'noor',
    'Test that headers cannot be added',
    {
      'clean_test.go':
        'package main\n\nimport "testing"\n\nfunc TestOneLine(t *testing.T) {\n\tif got := oneLine("Tern\\r\\nBcc: all"); got != "Tern Bcc: all" {\n\t\tt.Fatal(got)\n\t}\n}\n',
    },
  ],
  [
    '91d 9:25',
    'pavel',
    'Build an image',
    {
      Dockerfile:
        'FROM golang:1.26 AS build\nCOPY . /src\nRUN cd /src && CGO_ENABLED=0 go build -o /notices\nFROM scratch\nCOPY --from=build /notices /notices\nENTRYPOINT ["/notices"]\n',
    },
  ],
  [
    '91d 10:50',
    'pavel',
    'Add certificates of authorities',
    { Dockerfile: [['FROM scratch\n', 'FROM scratch\nCOPY --from=build /etc/ssl/certs /etc/ssl/certs\n']] },
  ],
  ['90d 13:15', 'pavel', 'Run as nobody', { Dockerfile: [['ENTRYPOINT', 'USER 65534\nENTRYPOINT']] }],
  [
    '86d 9:40',
    'noor',
    'Store who wants to be told',
    {
      'subscribers.go':
        'package main\n\n// Subscriber wants to know about some boats, at some times of the day.\ntype Subscriber struct {\n\tAddress string\n\tBoats   []string\n}\n\nfunc (s Subscriber) wants(boat string) bool {\n\tfor _, one := range s.Boats {\n\t\tif one == boat {\n\t\t\treturn true\n\t\t}\n\t}\n\treturn false\n}\n',
    },
  ],
  [
    '86d 11:55',
    'noor',
    'Use slices.Contains',
    {
      'subscribers.go': [
        [
          '\tfor _, one := range s.Boats {\n\t\tif one == boat {\n\t\t\treturn true\n\t\t}\n\t}\n\treturn false',
          '\treturn slices.Contains(s.Boats, boat)',
        ],
        ['package main\n', 'package main\n\nimport "slices"\n'],
      ],
    },
  ],
  [
    '85d 10:30',
    'noor',
    'Leave people in peace at night (#4)',
    {
      'quiet.go':
        'package main\n\nimport "time"\n\n// quiet tells whether nobody wants to be woken.\nfunc quiet(at time.Time) bool {\n\treturn at.Hour() >= 22 || at.Hour() < 5\n}\n',
    },
  ],
  [
    '85d 15:10',
    'noor',
    'Test the hours of the night',
    {
      'quiet_test.go':
        'package main\n\nimport (\n\t"testing"\n\t"time"\n)\n\nfunc TestQuiet(t *testing.T) {\n\tif !quiet(time.Date(2026, 1, 1, 23, 0, 0, 0, time.UTC)) {\n\t\tt.Fatal("people sleep at eleven")\n\t}\n}\n',
    },
  ],
  [
    '83d 9:50',
    'noor',
    'Let early risers choose other hours',
    {
      'quiet.go': add(
        '\n// hours are chosen by a subscriber; the zero value are those above.\ntype hours struct{ from, until int }\n',
      ),
    },
  ],
  [
    '80d 10:20',
    'noor',
    'Confirm addresses before anything is sent',
    { 'confirm.go': 'package main\n\nimport "crypto/rand"\n\nfunc code() string {\n\treturn rand.Text()\n}\n' },
  ],
  ['80d 14:05', 'noor', 'Let codes end after a day', { 'confirm.go': add('\nconst codeHours = 24\n') }],
  [
    '77d 9:35',
    'noor',
    'End a subscription by one click (#6)',
    { 'mail.go': [['"\\r\\n\\r\\n"', '"\\r\\nList-Unsubscribe: <https://slipway.example/stop>\\r\\n\\r\\n"']] },
  ],
  [
    '77d 11:15',
    'noor',
    'Say in the README what is stored',
    {
      'README.md': add(
        '\n## What is stored\n\nAn address, the boats, and the hours. Nothing else, and nothing after the end.\n',
      ),
    },
  ],
]
