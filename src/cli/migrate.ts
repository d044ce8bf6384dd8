import { defineCommand } from 'citty'
import { type MissingMigration, missingMigrations, openDatabase } from '../infra/database/index.ts'
import { migrations } from '../migrations/index.ts'
import { configured, fail } from './configured.ts'

/** What a statement does, in its first words: `create table widgets`. */
const summaryOf = (statement: string) => /^[a-z ]+?\b(table|index|function|trigger)\b \w+/.exec(statement)?.[0]

/** The lines that say what a migration would do. Indexes, functions and triggers are counted, tables are named. */
function linesOf({ name, summary, statements }: MissingMigration): string[] {
  const all = statements.map((one) => summaryOf(one) ?? one.split('\n')[0])
  const tables = all.filter((one) => / table /.test(` ${one}`))
  const others = all.length - tables.length
  return [
    `${name}${summary ? `: ${summary}` : ''} (${statements.length} statements)`,
    ...tables.map((one) => `  ${one}`),
    ...(others > 0 ? [`  and ${others} for indexes, functions and triggers`] : []),
  ]
}

async function showMissing(url: string): Promise<void> {
  const missing = await missingMigrations({ url, migrations })
  if (missing.length === 0) return void process.stdout.write('The database is up to date.\n')
  const lines = [
    `The database lacks ${missing.length === 1 ? 'one migration' : `${missing.length} migrations`}. All are applied in one transaction. Nothing was changed.`,
    ...missing.flatMap(linesOf),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** `fennec migrate` */
export const migrate = defineCommand({
  meta: {
    name: 'migrate',
    description: 'Apply the migrations that the database does not have yet; serve does it as well',
  },
  args: {
    'dry-run': { type: 'boolean', description: 'Say what would be applied, and change nothing' },
  },
  async run({ args }) {
    const url = configured().databaseUrl
    try {
      if (args['dry-run']) return await showMissing(url)
      await (await openDatabase({ url, migrations })).close()
      process.stdout.write('The database is up to date.\n')
    } catch (error) {
      fail((error as Error).message)
    }
  },
})
