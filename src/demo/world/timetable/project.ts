import type { JobPlan, Project } from '../../world-types.ts'
import { branches, commits } from './commits.ts'
import { issues } from './issues.ts'
import { mergeRequests } from './merge-requests.ts'

const jobs: Record<string, JobPlan> = {
  test: {
    seconds: [38, 95],
    log: `# prepare Preparing the container
Using Docker executor with image node:24-slim
# sources Getting the sources
Checked out {sha} as a detached head
# script Running the script
$ npm ci
added 41 packages in 3s
$ npm test
+ departures of a stop are in the order of their times (1.2ms)
+ there is no next boat after the last one (0.3ms)
ℹ tests 2, pass 2, fail 0`,
    failure: `# prepare Preparing the container
Using Docker executor with image node:24-slim
# script Running the script
$ npm ci
added 41 packages in 3s
$ npm test
+ departures of a stop are in the order of their times (1.3ms)
! ✖ there is no next boat after the last one (2004.1ms)
!   AssertionError: the server was still open after 2 seconds
~ ℹ tests 2, pass 1, fail 1`,
  },
  accessibility: {
    seconds: [25, 60],
    log: `# script Running the script
$ npm run check:accessibility
+ stop page: no violations
+ print page: no violations`,
    failure: `# script Running the script
$ npm run check:accessibility
! html-has-lang (serious): the page does not say in which language it is
~ 1 violation in 2 pages`,
  },
  site: {
    seconds: [20, 45],
    log: `# script Running the script
$ npm run build
public/index.html      4.1 kB
public/halmhavn.html   9.8 kB
# artifacts Uploading artifacts
public: found 3 files
report: found 2 files
+ site.zip is uploaded`,
    artifacts: {
      'public/index.html':
        '<!doctype html><title>Timetable</title><h1>Stops</h1><ul><li><a href="halmhavn.html">Halmhavn</a></ul>\n',
      'public/halmhavn.html': '<!doctype html><title>Halmhavn</title><h1>Next boat: 07:45 to Skarv</h1>\n',
      'public/style.css': 'body { font: 1.25rem/1.4 system-ui, sans-serif }\n',
      'report/size.txt': 'index.html 4.1 kB\nhalmhavn.html 9.8 kB\n',
      'report/junit.xml':
        '<testsuite name="timetable" tests="2" failures="0"><testcase name="departures"/><testcase name="next boat"/></testsuite>\n',
    },
  },
  production: {
    seconds: [12, 30],
    log: `# script Running the script
$ ./deploy.sh production
sending incremental file list
sent 14,204 bytes  received 212 bytes
+ production serves {sha}`,
  },
}

/** The pages that passengers see, in TypeScript. */
export const timetable: Project = {
  name: 'Timetable',
  path: 'timetable',
  namespace: 'slipway/apps',
  text: 'When the next boat leaves, from where, and whether it is late.',
  visibility: 'public',
  topics: ['ferries', 'typescript', 'accessibility'],
  by: 'tomas',
  at: '119d 09:00',
  members: { lena: 'developer' },
  commits,
  branches,
  issues,
  mergeRequests,
  jobs,
  releases: [
    {
      tag: 'v0.2.0',
      by: 'tomas',
      at: '97d 09:45',
      name: '0.2.0: a page for each stop',
      text: '### New\n\n- A page for each stop, with an address that never changes\n- Captions and headers for screen readers\n\nThanks to @yuki, who stood in the sun for it.',
      milestones: [],
    },
    {
      tag: 'v0.3.0',
      by: 'tomas',
      at: '57d 10:20',
      name: '0.3.0: paper',
      text: '### New\n\n- Timetables on paper, by hours (!1)\n- Colours and names of lines\n\n### Corrected\n\n- Boats after midnight stand on the day to which they belong (#6)',
      plays: { by: 'pavel', jobs: ['production'] },
    },
    {
      tag: 'v0.4.0',
      by: 'tomas',
      at: '17d 09:20',
      name: '0.4.0: screens',
      text: '### New\n\n- Pages for screens at the quay (!3)\n- The next boat stands above the table (#10)\n- Stops have the time of their harbour (!4)',
      plays: { by: 'pavel', jobs: ['production'] },
    },
  ],
  schedules: [
    {
      by: 'tomas',
      at: '50d 12:00',
      description: 'Check all pages with axe, at night',
      cron: '0 3 * * *',
      variables: { AXE_LEVEL: 'serious' },
      runs: [{ at: '49d 3:00' }, { at: '14d 3:00', fails: ['accessibility'] }, { at: '1d 3:00' }],
    },
  ],
  starredBy: ['mara', 'lena', 'yuki', 'owen', 'ines'],
  current: {
    by: 'tomas',
    branch: 'delays',
    message: 'Say "minutes late" to screen readers',
    files: { 'src/page.ts': [["' <em>+' + delay", "' <em aria-label=\"' + delay + ' minutes late\">+' + delay"]] },
  },
  acts: [
    {
      by: 'tomas',
      at: '109d 11:30',
      to: 'variables',
      body: { key: 'DEPLOY_USER', value: 'deploy', description: 'Who copies the files' },
    },
    {
      by: 'tomas',
      at: '109d 11:32',
      to: 'variables',
      body: { key: 'DEPLOY_KEY_PASSPHRASE', value: 'not-a-real-passphrase', protected: true, masked: true },
    },
    {
      by: 'tomas',
      at: '50d 11:58',
      to: 'variables',
      body: { key: 'SAILINGS_URL', value: 'https://sailings.example.com', environment_scope: 'production' },
    },
    { by: 'tomas', at: '100d 10:00', to: 'protected_tags', body: { name: 'v*', create_access_level: 40 } },
    {
      by: 'ines',
      at: '90d 14:00',
      to: 'wikis',
      body: {
        title: 'home',
        content:
          '# How a page comes to the quay\n\n1. A dispatcher enters sailings.\n2. The [service](/slipway/services/sailings) checks them.\n3. This project makes pages of them.\n4. Somebody catches a boat.\n\nSee [printing](printing) and [screens](screens).\n',
      },
    },
    {
      by: 'ines',
      at: '90d 14:25',
      to: 'wikis',
      body: {
        title: 'printing',
        content:
          '# Printing\n\n- A4, upright, margins of 15 mm\n- Black on white: colours fade behind glass\n- Write *valid from* below the title\n',
      },
    },
    {
      by: 'tomas',
      at: '56d 16:00',
      to: 'wikis',
      body: {
        title: 'screens',
        content:
          '# Screens\n\n| where | size | since |\n|---|--:|---|\n| Oster | 32" | spring |\n| Skarv | 24" | spring |\n\nA screen sends the header `X-Screen: 1`.\n',
      },
    },
    {
      by: 'tomas',
      at: '55d 09:00',
      to: 'PUT wikis/screens',
      body: {
        content:
          '# Screens\n\n| where | size | since |\n|---|--:|---|\n| Oster | 32" | spring |\n| Skarv | 24" | spring |\n| Halmhavn, hall | 55" | spring |\n\nA screen sends the header `X-Screen: 1`. After a power cut it starts by itself.\n',
      },
    },
    {
      by: 'ines',
      at: '48d 10:30',
      to: 'snippets',
      body: {
        title: 'Read all departures of a page aloud',
        description: 'Paste it into the console of the browser.',
        visibility: 'public',
        files: [
          {
            file_path: 'aloud.js',
            content:
              "for (const row of document.querySelectorAll('tr')) {\n  speechSynthesis.speak(new SpeechSynthesisUtterance(row.textContent))\n}\n",
          },
        ],
      },
    },
    {
      by: 'tomas',
      at: '40d 10:00',
      to: 'deploy_tokens',
      body: { name: 'Screens at the quay', scopes: ['read_repository'], expires_at: '{day+200}T00:00:00Z' },
    },
    {
      by: 'tomas',
      at: '45d 10:00',
      to: 'approval_rules',
      body: { name: 'Somebody else has read it', approvals_required: 1, rule_type: 'any_approver' },
    },
    {
      by: 'tomas',
      at: '1d 15:00',
      to: 'hooks',
      body: {
        url: 'https://hooks.example.invalid/timetable',
        name: 'Announce releases',
        push_events: false,
        releases_events: true,
      },
    },
  ],
}
