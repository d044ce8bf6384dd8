import { text } from 'node:stream/consumers'
import { defineCommand } from 'citty'
import { systemClock } from '../infra/clock/index.ts'
import { now, openDatabase } from '../infra/database/index.ts'
import { migrations } from '../migrations/index.ts'
import { deleteSessionsOf } from '../modules/sessions/index.ts'
import { enableTwoFactor, setPassword } from '../modules/users/index.ts'
import { configured, fail } from './configured.ts'

const enable = defineCommand({
  meta: { name: 'enable', description: 'Mark an account as one with two-factor authentication, for tests' },
  args: { username: { type: 'positional', description: 'The username', required: true } },
  async run({ args }) {
    const database = await openDatabase({ url: configured().databaseUrl, migrations }).catch((error) =>
      fail(error.message),
    )
    const found = await database.write((tx) => enableTwoFactor(tx, args.username, now(systemClock)))
    await database.close()
    if (!found) fail(`there is no user ${args.username}`)
    process.stdout.write(`Two-factor authentication of ${args.username} is enabled.\n`)
  },
})

const twoFactor = defineCommand({
  meta: { name: 'two-factor', description: 'Two-factor authentication' },
  subCommands: { enable },
})

const password = defineCommand({
  meta: { name: 'password', description: 'Set the password of an account; it is read from the standard input' },
  args: { username: { type: 'positional', description: 'The username', required: true } },
  async run({ args }) {
    const given = (await text(process.stdin)).replace(/\r?\n$/, '')
    const database = await openDatabase({ url: configured().databaseUrl, migrations }).catch((error) =>
      fail(error.message),
    )
    const problems = await setPassword(database, args.username, given, now(systemClock), deleteSessionsOf)
    await database.close()
    if (problems === null) fail(`there is no user ${args.username}`)
    if (problems.length > 0) fail(`the password ${problems.join(', ')}`)
    process.stdout.write(`The password of ${args.username} is set.\n`)
  },
})

/** `fennec user` */
export const user = defineCommand({
  meta: { name: 'user', description: 'User accounts' },
  subCommands: { password, 'two-factor': twoFactor },
})
