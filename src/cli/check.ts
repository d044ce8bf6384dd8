import { defineCommand } from 'citty'
import { checkInstallation } from '../check.ts'
import { configured, fail } from './configured.ts'
import { showProgress } from './progress.ts'

/** `fennec check`: exits with status 1 when it finds problems. */
export const check = defineCommand({
  meta: {
    name: 'check',
    description:
      'Check the database, every repository (git fsck), every stored object, and rows against refs; status 1 when it finds problems',
  },
  args: { quiet: { type: 'boolean', description: 'Show no progress', default: false } },
  async run({ args }) {
    const progress = showProgress(process.stderr, { quiet: args.quiet })
    const problems = await checkInstallation(configured(), progress).catch((error) => fail(error.message))
    progress.end()
    for (const problem of problems) process.stdout.write(`${problem}\n`)
    process.stdout.write(problems.length === 0 ? 'All is well.\n' : `${problems.length} problems found.\n`)
    process.exitCode = problems.length === 0 ? 0 : 1
  },
})
