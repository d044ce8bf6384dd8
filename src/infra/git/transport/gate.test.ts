import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { branchRef, type RefName, ZERO_SHA1 } from '../model/names.ts'
import { type HookQuestion, hookAnswer, legalChanges, questionReader, reportAnswer } from './gate.ts'

const old = 'a'.repeat(40)
const target = 'b'.repeat(40)

function question(hook: string, options: string[], lines: string): Buffer {
  const fields = [hook, '/quarantine', '/objects', String(options.length), ...options, lines]
  return Buffer.from(fields.map((field) => `${field}\0`).join(''))
}

function readAll(chunks: Uint8Array[]): HookQuestion[] {
  const questions: HookQuestion[] = []
  const read = questionReader((asked) => questions.push(asked))
  for (const chunk of chunks) read(chunk)
  return questions
}

describe('a request of a hook', () => {
  test('is parsed for any division into chunks', () => {
    const options = fc.array(fc.string({ unit: fc.constantFrom('a', '\n', ' ', '"', 'é', ':', '5'), maxLength: 5 }))
    fc.assert(
      fc.property(options, fc.nat(200), fc.nat(200), (pushOptions, a, b) => {
        const lines = `${old} ${target} refs/heads/main\n${ZERO_SHA1} ${target} refs/tags/v1\n`
        const bytes = Buffer.concat([question('pre-receive', pushOptions, lines), question('proc-receive', [], '')])
        const [from, to] = [Math.min(a, b, bytes.length), Math.min(Math.max(a, b), bytes.length)]
        const [first, second] = readAll([bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)])
        expect(first).toEqual({
          hook: 'pre-receive',
          quarantine: { objectDirectory: '/quarantine', alternateObjectDirectories: '/objects' },
          pushOptions,
          changes: [
            { old, new: target, ref: 'refs/heads/main' },
            { old: ZERO_SHA1, new: target, ref: 'refs/tags/v1' },
          ],
        })
        expect(second).toMatchObject({ hook: 'proc-receive', pushOptions: [], changes: [] })
      }),
    )
  })

  test.each([
    ['update', [], ''],
    ['pre-receive', [], 'nonsense\n'],
    ['pre-receive', [], `${old} ${target}\n`],
    ['pre-receive', [], `${old} zzz refs/heads/a\n`],
  ])('that is malformed is refused: %s %j %j', (hook, options, lines) => {
    expect(() => readAll([question(hook, options, lines)])).toThrow()
  })

  test('with too many options is refused', () => {
    expect(() => readAll([Buffer.from('pre-receive\0/q\0/o\0-1\0')])).toThrow()
    expect(() => readAll([Buffer.from('pre-receive\0/q\0/o\x0099999999\0')])).toThrow()
  })

  test('that is too long is refused', () => {
    const read = questionReader(() => {})
    const chunk = Buffer.alloc(16 * 1024 * 1024, 'x')
    expect(() => {
      for (let index = 0; index < 5; index += 1) read(chunk)
    }).toThrow()
  })
})

describe('names in a push', () => {
  const changeTo = (ref: string | Buffer, newOid: string) => {
    const line = Buffer.concat([Buffer.from(`${old} ${newOid} `), Buffer.from(ref), Buffer.from('\n')])
    const head = Buffer.from('pre-receive\0/q\0/o\x000\0')
    const [asked] = readAll([head, line, Buffer.from([0])])
    return legalChanges(asked!.changes)
  }

  test('follow the rules of branches and tags', () => {
    expect(changeTo('refs/heads/a/b', target)).toHaveLength(1)
    expect(changeTo('refs/notes/commits', target)).toHaveLength(1)
    for (const ref of [
      'refs/heads/-x',
      'refs/heads/HEAD',
      'refs/tags/-x',
      'refs/heads/@',
      'HEAD',
      'refs/heads/a b',
      'x',
    ]) {
      expect(changeTo(ref, target)).toBeNull()
    }
    expect(changeTo(Buffer.from([...Buffer.from('refs/heads/'), 0xff]), target)).toBeNull()
  })

  test('that are illegal only here may be deleted', () => {
    expect(changeTo('refs/heads/-x', ZERO_SHA1)).toHaveLength(1)
    expect(changeTo('refs/heads/a b', ZERO_SHA1)).toBeNull()
  })
})

describe('a response', () => {
  test('separates messages from the verdict', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(fc.string()), (accept, messages) => {
        const lines = hookAnswer(accept, messages).toString().split('\n')
        expect(lines.at(-1)).toBe('')
        expect(lines.at(-2)).toBe(accept ? 'accept' : 'refuse')
        expect(lines.slice(0, -2).every((line) => line.startsWith(':'))).toBe(true)
      }),
    )
  })

  test('names each ref of a report in a pkt-line, after the messages', () => {
    const changes = ['a', 'ä'].map((name) => ({ ref: branchRef(name) as RefName, old: ZERO_SHA1, new: ZERO_SHA1 }))
    const answer = reportAnswer(changes, new Map([[changes[1]!.ref, 'no']]), ['x\ny']).toString()
    expect(answer).toBe(':x\n:y\nreport 46\n0013ok refs/heads/a0017ng refs/heads/ä no0000')
    expect(reportAnswer(changes.slice(0, 1), new Map(), []).toString()).toBe('print 0013ok refs/heads/a0000\n')
    const many = Array.from({ length: 20 }, (_, index) => ({ ...changes[0]!, ref: branchRef(`b${index}`) as RefName }))
    expect(reportAnswer(many, new Map(), ['x']).toString()).toMatch(/^:x\nprint 0014ok refs\/heads\/b0/)
  })
})
