import type { Issue, MergeRequest } from '../../world-types.ts'

/** In the order of their time: the third one is #3. */
export const issues: readonly Issue[] = [
  {
    by: 'noor',
    at: '115d 16:00',
    title: 'Sailings that go only in school holidays',
    text: 'Seven marks for the days of the week are not enough. Do we need a calendar of holidays for each country?',
    labels: ['type::wish'],
    weight: 5,
    comments: [
      { by: 'lena', text: 'For each county, I am afraid.' },
      { by: 'noor', text: 'Then dispatchers get exceptions: a date, and goes or does not go.' },
    ],
  },
  {
    by: 'tomas',
    at: '100d 13:15',
    title: 'Stops are found by their exact name only',
    text: '`?stop=skarv` finds nothing, `?stop=Skarv` does.',
    labels: ['type::bug'],
    assignees: ['noor'],
    weight: 1,
    closed: { by: 'noor', at: '98d 12:00' },
  },
  {
    by: 'pavel',
    at: '82d 07:50',
    title: 'The service forgets delays when it starts again',
    text: 'They are only in memory. After the update of last night three boats were suddenly on time.',
    labels: ['type::bug', 'priority::soon'],
    assignees: ['noor'],
    milestone: 'Spring timetable',
    iteration: 'Kittiwake',
    weight: 3,
    estimate: '2d',
    spent: [['noor', '1d 2h', 'A file beside the data']],
    comments: [{ by: 'noor', text: 'A file is enough: there are at most eleven boats.' }],
    closed: { by: 'noor', at: '13d 16:00' },
  },
  {
    by: 'tomas',
    at: '43d 11:00',
    title: 'Send the delay of a sailing',
    text: 'As minutes, with each sailing. Then the page can say it.',
    labels: ['type::wish', 'priority::soon'],
    assignees: ['noor'],
    epic: 'Delays while they happen',
    iteration: 'Heron',
    weight: 3,
    comments: [{ by: 'noor', text: '!2 is ready for a look.' }],
  },
  {
    by: 'ines',
    at: '28d 10:20',
    title: 'Answer with an ETag',
    text: 'For slipway/apps/timetable#19.',
    labels: ['type::chore', 'good first issue'],
    iteration: 'Plover',
    weight: 1,
  },
  {
    by: 'pavel',
    at: '24d 06:30',
    title: 'Healthy before it has data',
    text: 'The balancer sent requests for four seconds, and all of them were answered with an empty list.',
    labels: ['type::bug', 'priority::now'],
    assignees: ['noor'],
    iteration: 'Kittiwake',
    weight: 1,
    closed: { by: 'noor', at: '22d 09:00' },
  },
  {
    by: 'lena',
    at: '8d 15:45',
    title: 'Enter a delay by telephone',
    text: 'On the bridge there is no screen. A call to a number, the boat, the minutes: that would be it.',
    labels: ['type::wish', 'customer'],
    milestone: 'Summer season',
    epic: 'Delays while they happen',
    comments: [
      { by: 'mara', text: 'I like it. @noor is that a week or a month?' },
      { by: 'noor', text: 'A week, and a telephone company.' },
    ],
  },
]

/** In the order of their time: the third one is !3. */
export const mergeRequests: readonly MergeRequest[] = [
  {
    by: 'tomas',
    at: '80d 14:30',
    title: 'Allow pages of all origins',
    text: 'The answers are public, so any page may read them.',
    branch: 'all-origins',
    labels: ['type::wish'],
    reviewers: ['noor'],
    commits: [
      {
        by: 'tomas',
        at: '80d 14:10',
        message: 'Allow pages of all origins to read sailings',
        files: {
          'internal/api/origins.go':
            'package api\n\nimport "net/http"\n\nfunc anyOrigin(next http.Handler) http.Handler {\n\treturn http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {\n\t\tw.Header().Set("Access-Control-Allow-Origin", "*")\n\t\tnext.ServeHTTP(w, r)\n\t})\n}\n',
        },
      },
    ],
    approved: [{ by: 'noor', at: '79d 09:00' }],
    merged: { by: 'noor', at: '79d 09:10' },
  },
  {
    by: 'noor',
    at: '27d 13:20',
    title: 'Send delays with sailings',
    text: 'Closes #4. Delays are in minutes, and 0 when a boat is on time.',
    branch: 'send-delays',
    labels: ['type::wish', 'priority::soon'],
    milestone: 'Spring timetable',
    reviewers: ['tomas'],
    assignees: ['noor'],
    commits: [
      {
        by: 'noor',
        at: '27d 12:55',
        message: 'Send delays with sailings',
        files: {
          'internal/calendar/calendar.go': [
            ['\tMinute         int\n', '\tMinute         int\n\tDelay          int `json:"delay"`\n'],
          ],
        },
      },
      {
        by: 'noor',
        at: '26d 10:30',
        message: 'Take delays from dispatchers',
        files: {
          'internal/api/delays.go':
            'package api\n\n// A delay is entered by a dispatcher, in minutes.\ntype delay struct {\n\tBoat    string `json:"boat"`\n\tMinutes int    `json:"minutes"`\n}\n',
        },
      },
    ],
    threads: [
      {
        by: 'tomas',
        text: 'Can it be less than 0, when a boat is early?',
        on: { file: 'internal/calendar/calendar.go', line: 'json:"delay"' },
        resolvedBy: 'tomas',
        replies: [{ by: 'noor', text: 'A boat waits until its time. Never early.' }],
      },
    ],
    approved: [{ by: 'tomas', at: '25d 11:00' }],
    merged: { by: 'noor', at: '25d 11:10' },
  },
  {
    by: 'noor',
    at: '14d 10:10',
    title: 'Keep delays in a file',
    text: 'Closes #3.',
    branch: 'keep-delays',
    labels: ['type::bug'],
    milestone: 'Spring timetable',
    reviewers: ['pavel'],
    commits: [
      {
        by: 'noor',
        at: '14d 09:50',
        message: 'Keep delays in a file beside the data',
        files: {
          'internal/delays/file.go':
            '// Package delays remembers what dispatchers have entered.\npackage delays\n\nimport "os"\n\n// Save writes a file whole, or not at all.\nfunc Save(path string, content []byte) error {\n\tif err := os.WriteFile(path+".new", content, 0o600); err != nil {\n\t\treturn err\n\t}\n\treturn os.Rename(path+".new", path)\n}\n',
        },
      },
    ],
    threads: [
      { by: 'pavel', text: 'Renaming at the end is right. The folder is on a volume that is backed up each night.' },
    ],
    approved: [{ by: 'pavel', at: '13d 15:00' }],
    merged: { by: 'noor', at: '13d 15:40' },
  },
  {
    by: 'noor',
    at: '3d 15:20',
    title: 'Draft: Exceptions for single days',
    text: 'A date, and *goes* or *does not go*. For #1; the form of the file is open.',
    branch: 'exceptions',
    labels: ['type::wish'],
    assignees: ['noor'],
    commits: [
      {
        by: 'noor',
        at: '3d 15:00',
        message: 'Read exceptions',
        files: {
          'internal/calendar/exceptions.go':
            'package calendar\n\n// An Exception says for one day whether a boat goes.\ntype Exception struct {\n\tBoat, Date string\n\tGoes       bool\n}\n',
        },
        fails: ['test'],
      },
    ],
    threads: [{ by: 'lena', text: 'Two columns are enough for me: the date, and a word.' }],
  },
]
