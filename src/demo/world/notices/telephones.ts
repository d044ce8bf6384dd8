import { added as add, type Pushed } from '../../world-types.ts'

/** Telephones: the third and fourth month. */
export const telephones: readonly Pushed[] = [
  [
    '71d 9:20',
    'noor',
    'Send text messages',
    {
      'sms.go':
        'package main\n\nimport (\n\t"net/http"\n\t"net/url"\n)\n\ntype smsSender struct{ gateway string }\n\nfunc (s smsSender) Send(notice Notice, to string) error {\n\tanswer, err := http.PostForm(s.gateway, url.Values{"to": {to}, "text": {notice.Text}})\n\tif err == nil {\n\t\tanswer.Body.Close()\n\t}\n\treturn err\n}\n',
    },
  ],
  [
    '71d 11:40',
    'noor',
    'Shorten them to 160 letters',
    {
      'short.go':
        'package main\n\n// short cuts a text at the last word that fits.\nfunc short(text string, most int) string {\n\tif len(text) <= most {\n\t\treturn text\n\t}\n\treturn text[:most-1] + "…"\n}\n',
    },
  ],
  [
    '70d 10:25',
    'noor',
    'Count letters and not bytes (#8)',
    {
      'short.go': [
        [
          '\tif len(text) <= most {\n\t\treturn text\n\t}\n\treturn text[:most-1] + "…"',
          '\tletters := []rune(text)\n\tif len(letters) <= most {\n\t\treturn text\n\t}\n\treturn string(letters[:most-1]) + "…"',
        ],
      ],
    },
  ],
  [
    '70d 13:30',
    'noor',
    'Test names with letters of Norwegian',
    {
      'short_test.go':
        'package main\n\nimport "testing"\n\nfunc TestShort(t *testing.T) {\n\tif got := short("Bærøy", 4); got != "Bær…" {\n\t\tt.Fatal(got)\n\t}\n}\n',
    },
  ],
  [
    '67d 9:45',
    'noor',
    'Choose the sender by the address',
    {
      'route.go':
        'package main\n\nimport "strings"\n\nfunc isTelephone(address string) bool {\n\treturn strings.HasPrefix(address, "+")\n}\n',
    },
  ],
  [
    '64d 10:10',
    'noor',
    'Wait when the gateway is busy',
    {
      'retry.go':
        'package main\n\nimport "time"\n\nvar waits = []time.Duration{time.Second, 5 * time.Second, 30 * time.Second}\n',
    },
  ],
  [
    '64d 12:20',
    'noor',
    'Give up when the boat has sailed',
    {
      'retry.go': add(
        '\n// late tells whether a notice is of no use any more.\nfunc late(notice Notice, now time.Time) bool {\n\treturn now.Sub(notice.At) > 30*time.Minute\n}\n',
      ),
    },
  ],
  [
    '63d 9:30',
    'noor',
    'Test that old notices are dropped',
    {
      'retry_test.go':
        'package main\n\nimport (\n\t"testing"\n\t"time"\n)\n\nfunc TestLate(t *testing.T) {\n\tnow := time.Now()\n\tif !late(Notice{At: now.Add(-time.Hour)}, now) {\n\t\tt.Fatal("the boat has sailed")\n\t}\n}\n',
    },
  ],
  [
    '59d 9:15',
    'pavel',
    'Count what is sent',
    { 'metrics.go': 'package main\n\nimport "expvar"\n\nvar sent = expvar.NewMap("sent")\n' },
  ],
  [
    '59d 11:05',
    'pavel',
    'Count failures by their reason',
    { 'metrics.go': add('\nvar failed = expvar.NewMap("failed")\n') },
  ],
  [
    '58d 13:50',
    'pavel',
    'Say when the queue is full',
    { 'metrics.go': add('\nvar dropped = expvar.NewInt("dropped")\n') },
  ],
  [
    '52d 9:40',
    'noor',
    'Tell about a delay once only',
    {
      'once.go':
        'package main\n\n// told are the minutes that were last told about a boat.\nvar told = map[string]int{}\n',
    },
  ],
  [
    '52d 11:25',
    'noor',
    'Tell again when it grows by ten minutes (#11)',
    {
      'once.go': add(
        '\nfunc worthTelling(before, now int) bool {\n\treturn now-before >= 10 || now == 0 && before > 0\n}\n',
      ),
    },
  ],
  [
    '51d 10:35',
    'noor',
    'Test what is worth telling',
    {
      'once_test.go':
        'package main\n\nimport "testing"\n\nfunc TestWorthTelling(t *testing.T) {\n\tif worthTelling(10, 15) || !worthTelling(10, 20) || !worthTelling(10, 0) {\n\t\tt.Fatal("too much or too little")\n\t}\n}\n',
    },
  ],
  [
    '47d 14:15',
    'noor',
    'Guard the map',
    { 'once.go': [['// told are', '// told is guarded by the one who reads the queue. told are']] },
  ],
  [
    '43d 9:55',
    'noor',
    'Write in the language of the reader',
    {
      'texts.go':
        'package main\n\nvar texts = map[string]string{\n\t"en": "%s is %d minutes late",\n\t"nb": "%s er %d minutter forsinket",\n}\n',
    },
  ],
  [
    '43d 12:10',
    'ines',
    'Correct the Norwegian of one minute',
    {
      'texts.go': add(
        '\nvar oneMinute = map[string]string{\n\t"en": "%s is one minute late",\n\t"nb": "%s er ett minutt forsinket",\n}\n',
      ),
    },
  ],
  [
    '38d 9:30',
    'noor',
    'Tell about cancelled sailings',
    {
      'cancel.go':
        'package main\n\nvar cancelled = map[string]string{\n\t"en": "%s does not sail at %s: %s",\n\t"nb": "%s går ikke %s: %s",\n}\n',
    },
  ],
  [
    '38d 11:45',
    'noor',
    'Let cancellations pass at night',
    {
      'quiet.go': add(
        '\n// urgent notices wake people: a boat that does not sail at six is worth it.\nfunc urgent(cancelled bool) bool {\n\treturn cancelled\n}\n',
      ),
    },
  ],
  [
    '33d 10:00',
    'noor',
    'Stop cleanly',
    {
      'main.go': [
        [
          '\tlog.Fatal(http.ListenAndServe(":8070", nil))',
          '\tgo untilStopped()\n\tlog.Fatal(http.ListenAndServe(":8070", nil))',
        ],
      ],
      'stop.go':
        'package main\n\nimport (\n\t"os"\n\t"os/signal"\n\t"syscall"\n)\n\nfunc untilStopped() {\n\tstopped := make(chan os.Signal, 1)\n\tsignal.Notify(stopped, syscall.SIGTERM)\n\t<-stopped\n\tclose(queue)\n}\n',
    },
  ],
  [
    '33d 13:20',
    'noor',
    'Send the rest of the queue first',
    {
      'stop.go': [['\tclose(queue)', '\tclose(queue)\n\t<-delivered']],
      'queue.go': add('\nvar delivered = make(chan struct{})\n'),
    },
  ],
  [
    '28d 9:25',
    'pavel',
    'Name the tag of the image',
    { 'README.md': add('\n## Image\n\n`notices:stable` is what runs.\n') },
  ],
  [
    '23d 10:40',
    'noor',
    'Limit what one address may ask for',
    { 'limit.go': 'package main\n\n// mostConfirmations are sent to an address a day.\nconst mostConfirmations = 3\n' },
  ],
  [
    '23d 14:30',
    'noor',
    'Limit what comes from one place (#16)',
    { 'limit.go': add('\n// mostSubscriptions come from one place an hour.\nconst mostSubscriptions = 20\n') },
  ],
  [
    '18d 9:50',
    'noor',
    'Take several boats in one request',
    { 'batch.go': 'package main\n\n// largestBatch is a storm: all boats of a company.\nconst largestBatch = 50\n' },
  ],
  [
    '18d 12:35',
    'noor',
    'Join notices to the same person',
    { 'batch.go': add('\nfunc joined(texts []string) string {\n\treturn strings.Join(texts, "\\n")\n}\n') },
  ],
  ['17d 9:05', 'noor', 'Import strings', { 'batch.go': [['package main\n', 'package main\n\nimport "strings"\n']] }],
  [
    '10d 10:15',
    'noor',
    'Forget people who have not answered for a year',
    { 'forget.go': 'package main\n\nimport "time"\n\nconst forgetAfter = 365 * 24 * time.Hour\n' },
  ],
  ['10d 13:40', 'noor', 'Ask them two weeks before', { 'forget.go': add('\nconst askBefore = 14 * 24 * time.Hour\n') }],
  [
    '6d 9:35',
    'noor',
    'Send nothing to addresses that bounce',
    { 'bounce.go': 'package main\n\n// mostBounces in a row end a subscription.\nconst mostBounces = 3\n' },
  ],
  [
    '3d 11:10',
    'noor',
    'Write the reason of a bounce into the log',
    { 'bounce.go': add('\nconst longestReason = 200\n') },
  ],
]
