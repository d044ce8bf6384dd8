import type { Project } from '../../world-types.ts'
import { issues } from './issues.ts'
import { letters } from './letters.ts'
import { telephones } from './telephones.ts'

/** Tells people that their boat is late, in Go. */
export const notices: Project = {
  name: 'Notices',
  path: 'notices',
  namespace: 'slipway/services',
  text: 'Tells people who have asked for it that their boat is late, by mail and text message.',
  visibility: 'public',
  topics: ['ferries', 'go', 'mail'],
  by: 'noor',
  at: '100d 09:00',
  members: { lena: 'reporter' },
  commits: [],
  pushed: [...letters, ...telephones],
  issues,
  jobs: {
    test: {
      seconds: [25, 55],
      log: `# script Running the script
$ go vet ./...
$ go test ./...
+ ok  slipway.example/notices  0.041s`,
    },
  },
  mergeRequests: [
    {
      by: 'yuki',
      at: '5d 11:00',
      title: 'Say it in the subject',
      text: 'Boat, time and minutes, so that nobody has to open the mail. For #20.',
      branch: 'subjects',
      commits: [
        {
          by: 'yuki',
          at: '5d 10:40',
          message: 'Put the minutes into the subject',
          files: {
            'subject.go':
              'package main\n\nimport "fmt"\n\nfunc subject(boat, time string, minutes int) string {\n\treturn fmt.Sprintf("%s %s: %d minutes late", boat, time, minutes)\n}\n',
          },
        },
      ],
      labels: ['accessibility'],
      reviewers: ['noor'],
      threads: [
        {
          by: 'noor',
          text: 'One minute again. Can you take the texts of `texts.go`?',
          on: { file: 'subject.go', line: 'minutes late' },
          replies: [{ by: 'yuki', text: 'Then it is in both languages as well. Yes.' }],
        },
      ],
    },
  ],
  starredBy: ['lena', 'pavel'],
}
