import { defineCommand } from 'citty'
import { restoreBackup, verifyBackup } from '../../backup/index.ts'
import { systemClock } from '../../infra/clock/index.ts'
import { configured, fail, failureText } from '../configured.ts'
import { showProgress } from '../progress.ts'

/** `fennec restore` */
export const restore = defineCommand({
  meta: {
    name: 'restore',
    description: 'Restore a backup into an empty place, also on the other engine or object store',
  },
  args: {
    file: { type: 'positional', description: 'The backup', required: true },
    'bases...': { type: 'positional', description: 'The backups that it is based on', required: false },
    verify: { type: 'boolean', description: 'Only check the backup; write nothing' },
    quiet: { type: 'boolean', description: 'Show no progress', default: false },
  },
  async run({ args }) {
    const progress = showProgress(process.stderr, { quiet: args.quiet })
    const [, ...basePaths] = args._
    const given = { path: args.file, basePaths, progress }
    const work = args.verify
      ? verifyBackup(given)
      : restoreBackup({ ...given, config: configured(), clock: systemClock })
    await work.catch((error) => fail(failureText(error)))
    progress.end()
    process.stdout.write(
      args.verify
        ? `${args.file} is complete and undamaged.\n`
        : 'The backup is restored. Check it with: fennec check\n',
    )
  },
})
