/**
 * No input makes an operation fail: every parameter of every operation is given odd values, one at a time, by a caller
 * who may do everything. Whatever the answer says, it is not a 500. Each parameter gets a few of the odd values, and its
 * neighbours others, so that each kind of parameter meets all of them; `FENNEC_TEST_ALL_ODD=1` gives all to each. On PostgreSQL
 * these are the values that a database may stumble over, among them, for each number, one that no column has room for; what
 * the parameters refuse before is tested on SQLite.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allScopes, type Operation, type Param, type ParamSet } from '../src/api/index.ts'
import { type Answer, type Client, onPostgres, startTestServer, type TestServer } from '../src/testing/index.ts'

let server: TestServer
const ids: Record<string, number> = {}

beforeAll(async () => {
  server = await startTestServer()
  const keeper = await server.user('keeper')
  const namespace = await server.make.group('group', keeper)
  ids.group = namespace.id
  ids.project = (await server.make.project('project', keeper, { namespace })).id
})
afterAll(() => server.stop())

/** The id of no row, so that no operation changes the data of later tests. */
const nobody = '99999999'

const oddTexts = [
  '',
  ' ',
  '0',
  '-1',
  '2147483648',
  '9223372036854775807',
  '9'.repeat(40),
  '1.5',
  '1e400',
  'NaN',
  '\u0000',
  'a\u0000b',
  '\ud83d',
  '💥'.repeat(300),
  'x'.repeat(70_000),
  `'; drop table users; --`,
  '%_\\',
  '../../etc/passwd',
  '(a+)+$',
  '[',
  '{}',
  '[[]]',
  '__proto__',
  '2026-02-30',
  '9999-12-31T23:59:60+23:59',
  '0000-01-01',
]
/** Texts that the schemas of parameters may let through, and that a column or an expression in SQL may not take. */
const oddForDatabase = new Set([
  ...[
    '-1',
    '2147483648',
    '9223372036854775807',
    '9'.repeat(40),
    '1e400',
    '\u0000',
    'a\u0000b',
    '\ud83d',
    '💥'.repeat(300),
  ],
  ...['x'.repeat(70_000), `'; drop table users; --`, '%_\\', '2026-02-30', '9999-12-31T23:59:60+23:59', '0000-01-01'],
])

const textsHere = onPostgres ? oddTexts.filter((text) => oddForDatabase.has(text)) : oddTexts

/** A text without form cannot stand in an address at all. */
const addressable = textsHere.filter((odd) => odd.isWellFormed() && odd.length < 2_000)
const oddValues: unknown[] = [
  ...textsHere,
  null,
  -1,
  2 ** 63,
  1.5,
  [],
  [null],
  [[]],
  [{}],
  {},
  { a: { b: [1] } },
  ['x', 'x'],
]

let turn = 0
/** Some of the odd values, the next ones in turn. */
function some<T>(odd: readonly T[], isNumber: boolean): T[] {
  if (process.env.FENNEC_TEST_ALL_ODD) return [...odd]
  const next = () => odd[turn++ % odd.length] as T
  if (onPostgres) return [isNumber ? ('2147483648' as T) : next(), next()]
  return Array.from({ length: Math.min(4, odd.length) }, next)
}

const isNumeric = ({ schema }: Param<unknown>) => [(schema as { type?: unknown }).type].flat().includes('integer')

/** A valid value of a parameter, where its schema determines one. */
function plausible({ schema }: Param<unknown>): unknown {
  const { type, enum: values, format } = schema as { type?: string | string[]; enum?: unknown[]; format?: string }
  if (values) return values[0]
  if (format === 'date') return '2999-01-01'
  if (format === 'date-time') return '2999-01-01T00:00:00Z'
  const plain = Array.isArray(type) ? type.at(-1) : type
  const samples: Record<string, unknown> = { integer: 1, number: 1, boolean: false, array: [], object: {} }
  return samples[plain ?? ''] ?? 'sample'
}

/** The address, with one parameter of the path replaced by `odd`. */
function addressOf({ path, root, subject }: Operation, odd: Record<string, string> = {}): string {
  const known = (name: string) => (name === 'id' ? String(ids[subject.name] ?? nobody) : nobody)
  const filled = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(odd[name] ?? known(name)))
  return root ? `root:${filled}` : filled
}

/** Writes a value as names and values of a query (contract 00, "Nested names"). */
function pairsOf(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((one) => pairsOf(`${name}[]`, one))
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, one]) => pairsOf(`${name}[${key}]`, one))
  }
  return [[name, String(value ?? '')]]
}

function ask(client: Client, operation: Operation, values: Record<string, unknown>): Promise<Answer> {
  const { method } = operation
  const address = addressOf(operation)
  if (method !== 'GET' && method !== 'HEAD') return client.request(method, address, { body: values })
  const query = new URLSearchParams(Object.entries(values).flatMap(([name, value]) => pairsOf(name, value)))
  return client.request(method, `${address}?${query}`)
}

/** Asks with every odd value in every place; returns what was answered with a failure. */
async function failuresOf(operation: Operation): Promise<string[]> {
  const failures: string[] = []
  const client = server.as(await server.make.token({ id: 1 }, allScopes))
  const note = ({ status, body }: Answer, where: string, value: unknown) => {
    if (status < 500) return
    const shown = JSON.stringify(value)?.slice(0, 60)
    failures.push(`${operation.method} ${operation.path}: ${where} = ${shown}: ${status} ${JSON.stringify(body)}`)
  }
  const params = Object.entries((operation.params ?? {}) as ParamSet)
  const needed = params.filter(([, param]) => param.required).map(([name, param]) => [name, plausible(param)] as const)
  for (const [name, param] of params) {
    for (const value of some(oddValues, isNumeric(param))) {
      note(await ask(client, operation, { ...Object.fromEntries(needed), [name]: value }), name, value)
    }
  }
  for (const [, name = ''] of operation.path.matchAll(/:(\w+)/g)) {
    for (const text of some(addressable, true)) {
      note(await client.request(operation.method, addressOf(operation, { [name]: text })), `:${name}`, text)
    }
  }
  return failures
}

describe('no input makes an operation fail', () => {
  test.each([
    ['reads', (operation: Operation) => operation.method === 'GET' || operation.method === 'HEAD'],
    ['writes', ({ method }: Operation) => method !== 'GET' && method !== 'HEAD' && method !== 'DELETE'],
    ['deletes', ({ method }: Operation) => method === 'DELETE'],
  ])(
    'that %s',
    async (_, isMeant) => {
      const failures: string[] = []
      const queue = server.app.operations.filter(isMeant)
      const worker = async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift())
          failures.push(...(await failuresOf(next)))
      }
      await Promise.all(Array.from({ length: 4 }, worker))
      expect(failures).toEqual([])
    },
    600_000,
  )
})
