import { text } from 'node:stream/consumers'
import { defineCommand } from 'citty'
import { systemClock } from '../infra/clock/index.ts'
import { now } from '../infra/database/index.ts'
import { deleteSessionsOf } from '../modules/sessions/index.ts'
import { enableTwoFactor, setPassword } from '../modules/users/index.ts'
import { fail } from './configured.ts'
import { withDatabase } from './database.ts'

const enable = defineCommand({
  meta: { name: 'enable', description: 'Mark an account as one with two-factor authentication, for tests' },
  args: { username: { type: 'positional', description: 'The username', required: true } },
  async run({ args }) {
    const enabledAt = now(systemClock)
    const found = await withDatabase((database) =>
      database.write((tx) => enableTwoFactor(tx, args.username, enabledAt)),
    )
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
    const problems = await withDatabase((database) =>
      setPassword(database, args.username, given, now(systemClock), deleteSessionsOf),
    )
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
