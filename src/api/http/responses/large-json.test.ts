import { constants } from 'node:buffer'
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nullable, pageOf } from '../../operation/results.ts'
import { Type } from '../../operation/schema.ts'
import { demoServer, echo } from '../../testing.ts'
import { isLarge, type LargeJson, measureLargeJson, streamLargeJson } from './large-json.ts'
import { serialiserOf } from './serialise.ts'

const Row = Type.Object({
  id: Type.Integer(),
  text: nullable(Type.String()),
  notes: Type.Array(Type.Object({ body: Type.String() })),
  others: Type.Record(Type.String(), Type.Array(Type.String())),
})
const Rows = Type.Array(Row)
const serialiseRow = serialiserOf(Row, [Row])
const rowOf = (text: string) => ({ id: 1, text, notes: [{ body: text }], others: { a: [text] }, secret: text })
const long = 'x'.repeat(1024 * 1024)

/** Long texts with odd characters, also where the text is cut. */
const oddText = fc
  .tuple(fc.constantFrom('', 'a', 'ab'), fc.constantFrom('😀', '\ud83d', '\ude00', '"', '\\', '\n', 'é', '\u2028', 'x'))
  .map(([beginning, odd]) => beginning + odd.repeat(70_000))

describe('JSON in pieces', () => {
  test('has the bytes and the tag of JSON in one piece', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(oddText, { maxLength: 3 }), async (texts) => {
        const rows = texts.map(rowOf)
        const whole = serialiserOf(Rows, [Rows])(rows)
        const alone = serialiseRow(rows[0] ?? rowOf(''))
        const forms: [LargeJson, string][] = [
          [{ rows, serialise: serialiseRow }, whole],
          [{ value: rows[0] ?? rowOf(''), serialise: serialiseRow }, alone],
        ]
        for (const [json, text] of forms) {
          const bytes = await buffer(streamLargeJson(json))
          expect(bytes.equals(Buffer.from(text))).toBe(true)
          const sha1 = createHash('sha1').update(text).digest('base64url')
          expect(await measureLargeJson(json)).toEqual({ sizeBytes: bytes.length, sha1 })
        }
      }),
      { numRuns: 10 },
    )
  })

  test('lets others run after each piece', async () => {
    let turns = 0
    let running = true
    const count = () => {
      turns += 1
      if (running) setImmediate(count)
    }
    setImmediate(count)
    const { sizeBytes } = await measureLargeJson({ rows: [rowOf(long), rowOf(long)], serialise: serialiseRow })
    running = false
    expect(turns).toBeGreaterThan(sizeBytes / (128 * 1024))
  })

  test('may be longer than a text can be', async () => {
    const rows = Array.from({ length: 180 }, () => rowOf(long))
    const { sizeBytes } = await measureLargeJson({ rows, serialise: serialiseRow })
    expect(sizeBytes).toBeGreaterThan(constants.MAX_STRING_LENGTH)
  }, 60_000)

  test('is for what is large, wherever that is in the result', () => {
    expect([rowOf('x'), [], {}, null, 1, 'x', undefined].map(isLarge)).toEqual(Array.from({ length: 7 }, () => false))
    const many = Array.from({ length: 300_000 }, () => 1)
    const large = [long, [long], { a: { b: [{ c: long }] } }, many, { [long]: 1 }]
    expect(large.map(isLarge)).toEqual(large.map(() => true))
  })
})

describe('a large answer', () => {
  const rows = [rowOf(long), rowOf('short'), rowOf(long)]
  const json = serialiserOf(Rows, [Rows])(rows)
  const listing = (more: object = {}) =>
    echo({ result: [200, pageOf(Row)], run: async () => ({ items: rows, total: 3 }), ...more })

  test('has the headers of a small one', async () => {
    await using demo = demoServer([listing()])
    const answer = await demo.get('/api/v4/things')
    expect([answer.statusCode, answer.body === json]).toEqual([200, true])
    const etag = `W/"${createHash('sha1').update(json).digest('base64url')}"`
    const headers = { etag, 'content-type': 'application/json', 'content-length': String(json.length), 'x-total': '3' }
    expect(answer.headers).toMatchObject(headers)
    const again = await demo.get('/api/v4/things', { 'If-None-Match': etag })
    expect([again.statusCode, again.body, again.headers['content-type']]).toEqual([304, '', undefined])
    const head = await demo.send('HEAD', '/api/v4/things')
    expect([head.statusCode, head.body]).toEqual([200, ''])
    expect(head.headers).toMatchObject(headers)
  })

  test('may be one object, or the answer to a change', async () => {
    const one = listing({ method: 'POST', result: [201, Row], run: async () => rows[0] })
    await using demo = demoServer([one])
    const answer = await demo.send('POST', '/api/v4/things')
    expect([answer.statusCode, answer.body === serialiseRow(rows[0])]).toEqual([201, true])
    expect(answer.headers.etag).toBeUndefined()
    expect(answer.headers['cache-control']).toBe('no-cache')
  })
})
