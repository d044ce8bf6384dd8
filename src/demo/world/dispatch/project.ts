import type { Project } from '../../world-types.ts'
import { delays } from './delays.ts'
import { entering } from './entering.ts'
import { firstIssues } from './first-issues.ts'
import { importing } from './importing.ts'
import { laterIssues } from './later-issues.ts'

/** The desk at which dispatchers work. */
export const dispatch: Project = {
  name: 'Dispatch',
  path: 'dispatch',
  namespace: 'slipway/apps',
  text: 'Where dispatchers enter sailings, and say that boats are late.',
  visibility: 'public',
  topics: ['ferries', 'typescript', 'forms'],
  by: 'tomas',
  at: '113d 09:00',
  members: { lena: 'developer' },
  commits: [],
  pushed: [...entering, ...importing, ...delays],
  issues: [...firstIssues, ...laterIssues],
  jobs: {
    test: {
      seconds: [18, 40],
      log: `# script Running the script
$ npm ci
added 12 packages in 1s
$ npm test
+ reads times as people write them (0.9ms)
+ refuses times that do not exist (0.2ms)
ℹ fail 0`,
    },
  },
  mergeRequests: [
    {
      by: 'yuki',
      at: '4d 15:20',
      title: 'Keep the button in sight',
      text: 'The warning takes its own row, and the button stays at the lower edge. Closes #29.',
      branch: 'button-in-sight',
      commits: [
        {
          by: 'yuki',
          at: '4d 15:00',
          message: 'Keep the button at the lower edge',
          files: { 'src/style.css': { add: '.save { position: sticky; inset-block-end: 0 }\n' } },
        },
      ],
      labels: ['type::bug'],
      reviewers: ['ines'],
      assignees: ['yuki'],
      threads: [
        {
          by: 'ines',
          text: 'Does it cover the last row of the table? A margin would help.\n\n```suggestion:-0+0\n.save { position: sticky; inset-block-end: 0; margin-block-start: var(--space-3) }\n```',
          on: { file: 'src/style.css', line: '.save' },
          replies: [{ by: 'yuki', text: 'By two pixels. Twice the margin, and I take it.' }],
        },
      ],
    },
    {
      by: 'tomas',
      at: '3d 10:10',
      title: 'Draft: count sign-ins a week',
      text: 'For #27. By company, and never by person.',
      branch: 'sign-ins',
      commits: [
        {
          by: 'tomas',
          at: '3d 9:50',
          message: 'Count sign-ins of a week by company',
          files: {
            'src/count.ts':
              "import type { Session } from './session.ts'\n\nexport const byCompany = (sessions: readonly Session[]) =>\n  Object.groupBy(sessions, ({ company }) => company)\n",
          },
        },
      ],
      labels: ['type::chore'],
      threads: [{ by: 'mara', text: 'Exactly that. May it be a page, or is it a file?' }],
    },
  ],
  starredBy: ['lena', 'mara', 'owen'],
}
