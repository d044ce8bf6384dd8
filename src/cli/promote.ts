import { defineCommand } from 'citty'
import { systemClock } from '../infra/clock/index.ts'
import { promote as promoteSecondary, sentencesOf } from '../promotion/index.ts'
import { configured, fail, failureText } from './configured.ts'
import { showProgress } from './progress.ts'

/** `fennec promote` */
export const promote = defineCommand({
  meta: {
    name: 'promote',
    description:
      'Make a stopped secondary the primary, with a database from a backup of the primary or one that was its replica',
  },
  args: {
    'bases...': { type: 'positional', description: 'The backups that the backup is based on', required: false },
    database: { type: 'string', description: 'Address of the database of the new primary (sqlite:… or postgres://…)' },
    backup: { type: 'string', description: 'A backup of the primary, which is restored into that database' },
    'dry-run': { type: 'boolean', description: 'Only say what would be done and lost' },
    quiet: { type: 'boolean', description: 'Show no progress', default: false },
  },
  async run({ args }) {
    const { database, backup: path, quiet } = args
    if (database === undefined) fail('--database is missing: the address of the database of the new primary')
    if (!/^(sqlite|postgres|postgresql):./.test(database)) fail('--database must begin with sqlite: or postgres:')
    if (path === undefined && args._.length > 0) fail('the backups that a backup is based on need --backup')
    const progress = showProgress(process.stderr, { quiet })
    const report = await promoteSecondary({
      ...{ config: configured(), databaseUrl: database, isDryRun: args['dry-run'] === true },
      backup: path === undefined ? undefined : { path, basePaths: args._ },
      ...{ clock: systemClock, progress },
    }).catch((error) => fail(failureText(error)))
    progress.end()
    const lines = report ? sentencesOf(report) : ['This server is the primary already; nothing was done.']
    process.stdout.write(`${lines.join('\n')}\n`)
  },
})
