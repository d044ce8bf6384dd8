// A process that takes a job and never ends it; the test kills it. Its argument is the database's address.

import { migrations } from '../../schema/index.ts'
import { manualClock } from '../clock/index.ts'
import { openDatabase } from '../database/index.ts'
import { rememberedLog, START } from './fixtures.ts'
import { createJobs } from './index.ts'

const database = await openDatabase({ url: process.argv[2] ?? '', migrations })
const jobs = createJobs({
  database,
  clock: manualClock({ start: START }),
  log: rememberedLog(),
  leaseSeconds: 60,
  concurrency: 1,
  owner: 'child',
  handlers: [
    {
      kind: 'work',
      run(payload) {
        process.stdout.write(`running ${payload}\n`)
        return new Promise(() => setInterval(() => {}, 60_000))
      },
    },
  ],
})
await jobs.start()
