import { defineCommand } from 'citty'
import { auditEvents, lineOf } from '../modules/audit/index.ts'
import { fail } from './configured.ts'
import { withDatabase } from './database.ts'

/** A whole number of at least 1. @returns undefined without a value */
function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : fail(`--${name} must be a number of at least 1`)
}

/** `user 5` */
function targetOf(text: string | undefined): { kind: string; id: number } | undefined {
  if (text === undefined) return undefined
  const [, kind = '', id = ''] = /^(user|group|project|application) (\d{1,15})$/.exec(text) ?? []
  return kind === '' ? fail('--target must be a kind and an id, such as "user 5"') : { kind, id: Number(id) }
}

/** `fennec audit` */
export const audit = defineCommand({
  meta: { name: 'audit', description: 'Print what administrators did, one line of JSON each, the newest first' },
  args: {
    actor: { type: 'string', description: 'Only acts of this administrator, by username' },
    act: { type: 'string', description: 'Only these acts, such as users.block' },
    target: { type: 'string', description: 'Only acts on this, such as "user 5"' },
    before: { type: 'string', description: 'Only acts before the one with this id' },
    limit: { type: 'string', description: 'How many lines at most', default: '100' },
  },
  async run({ args }) {
    const { actor, act } = args
    const filter = {
      ...(actor !== undefined && { actor }),
      ...(act !== undefined && { act }),
      ...{ target: targetOf(args.target), before: numberOf('before', args.before) },
      limit: numberOf('limit', args.limit) ?? 100,
    }
    const events = await withDatabase((database) => auditEvents(database.read, filter))
    for (const event of events) process.stdout.write(`${lineOf(event)}\n`)
  },
})
