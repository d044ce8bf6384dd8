import { defineCommand } from 'citty'
import { createBackup } from '../../backup/index.ts'
import { systemClock } from '../../infra/clock/index.ts'
import { configured, fail, failureText } from '../configured.ts'
import { showProgress } from '../progress.ts'

/** `fennec backup` */
export const backup = defineCommand({
  meta: {
    name: 'backup',
    description: 'Write the database, all repositories and all objects to one file; the server may run meanwhile',
  },
  args: {
    file: { type: 'positional', description: 'The file to be written', required: true },
    'incremental-from': { type: 'string', description: 'An earlier backup, whose contents are not written again' },
    'without-keys': {
      type: 'boolean',
      description: 'Leave out the secret key, the SSH host keys and the token of root',
    },
    quiet: { type: 'boolean', description: 'Show no progress', default: false },
  },
  async run({ args }) {
    const progress = showProgress(process.stderr, { quiet: args.quiet })
    const { sizeBytes } = await createBackup({
      config: configured(),
      path: args.file,
      clock: systemClock,
      progress,
      withoutKeys: args['without-keys'] === true,
      basePath: args['incremental-from'],
    }).catch((error) => fail(failureText(error)))
    progress.end()
    process.stdout.write(`${args.file} is complete: ${sizeBytes} bytes.\n`)
  },
})
