import { defineCommand } from 'citty'
import { allScopes, dayAfter, dayOf, parseDate } from '../api/index.ts'
import { systemClock } from '../infra/clock/index.ts'
import { now } from '../infra/database/index.ts'
import { hashToken, randomToken } from '../infra/secrets/index.ts'
import { insertAccessToken } from '../modules/tokens/index.ts'
import { userByUsername } from '../modules/users/index.ts'
import { fail } from './configured.ts'
import { withDatabase } from './database.ts'

const create = defineCommand({
  meta: { name: 'create', description: 'Create a personal access token and print it' },
  args: {
    user: { type: 'string', description: 'User name', default: 'root' },
    name: { type: 'string', description: 'Name of the token', default: 'command line' },
    scopes: { type: 'string', description: 'Scopes, separated by commas', default: 'api' },
    expires: { type: 'string', description: 'Expiry date, YYYY-MM-DD, after today; default: in one year' },
  },
  async run({ args }) {
    const scopes = args.scopes.split(',').map((scope) => scope.trim())
    const unknown = scopes.find((scope) => !(allScopes as readonly string[]).includes(scope))
    if (unknown !== undefined) fail(`--scopes: unknown scope ${unknown} (known: ${allScopes.join(', ')})`)
    const expiresAt = args.expires === undefined ? dayAfter(systemClock.now(), 365) : parseDate(args.expires)
    if (expiresAt === null) fail('--expires must be a date like 2030-12-31')
    // A token has expired from the first moment of its expiry day.
    if (expiresAt <= dayOf(systemClock.now())) fail('--expires must be a day after today (UTC)')
    const text = randomToken('glpat-')
    await withDatabase(async (database) => {
      const user = await userByUsername(database.read, args.user)
      if (!user) fail(`--user: there is no user ${args.user}`)
      await database.write((tx) =>
        insertAccessToken(tx, {
          kind: 'personal',
          user_id: user.id,
          name: args.name,
          digest: hashToken(text),
          scopes: JSON.stringify(scopes),
          expires_at: expiresAt,
          created_at: now(systemClock),
        }),
      )
    })
    process.stdout.write(`${text}\n`)
  },
})

/** `fennec token` */
export const token = defineCommand({
  meta: { name: 'token', description: 'Access tokens' },
  subCommands: { create },
})
