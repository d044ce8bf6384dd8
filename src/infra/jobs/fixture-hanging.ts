// A process that claims a job and never ends it, to be killed by the test. Its argument is the URL of the database.

import { migrations } from '../../migrations/index.ts'
import { manualClock } from '../clock/index.ts'
import { openDatabase } from '../database/index.ts'
import { recordingLog, START } from './fixtures.ts'
import { createJobs } from './index.ts'

const database = await openDatabase({ url: process.argv[2] ?? '', migrations })
const jobs = createJobs({
  database,
  clock: manualClock({ start: START }),
  log: recordingLog(),
  leaseSeconds: 60,
  concurrency: 1,
  owner: 'child',
})
jobs.define({
  kind: 'work',
  run(payload) {
    process.stdout.write(`running ${payload}\n`)
    return new Promise(() => setInterval(() => {}, 60_000))
  },
})
await jobs.start()
