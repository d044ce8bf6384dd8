import { describe, expect, test } from 'vitest'
import { systemClock } from '../../infra/clock/index.ts'
import { JobLog } from '../log/job-log.ts'
import { type JobAnswer, type JobEnding, RunnerClient, ServerUnreachable } from '../protocol/client.ts'
import type { JobPayload } from '../protocol/payload.ts'
import { Reporter, type Wish } from './reporting.ts'

const payload = { id: 1, token: 'glcbt-x' } as JobPayload
const answer = (httpStatus: number, more: Partial<JobAnswer> = {}): JobAnswer => ({
  ...{ httpStatus, jobStatus: 'running', intervalMs: null, storedBytes: null },
  ...more,
})

/** A server with a log; what it answers to requests, in their order, can be replaced. */
class FakeServer extends RunnerClient {
  stored = Buffer.alloc(0)
  endings: JobEnding[] = []
  readonly odd: ((take: () => JobAnswer) => JobAnswer)[]

  constructor(odd: FakeServer['odd'] = []) {
    super('http://server')
    this.odd = odd
  }

  override async appendTrace(_job: JobPayload, firstByte: number, bytes: Buffer): Promise<JobAnswer> {
    const take = () => {
      if (firstByte !== this.stored.length) return answer(416, { storedBytes: this.stored.length })
      this.stored = Buffer.concat([this.stored, bytes])
      return answer(202, { storedBytes: this.stored.length })
    }
    return this.odd.shift()?.(take) ?? take()
  }

  override async updateJob(_job: JobPayload, ending?: JobEnding): Promise<JobAnswer> {
    if (ending) this.endings.push(ending)
    return answer(200)
  }
}

/** Reports a job with this log to its end. */
async function report(server: FakeServer, text: string) {
  const log = new JobLog(systemClock, [], [])
  const wishes = new Set<Wish>()
  log.line(text)
  const reporter = new Reporter({ client: server, longestIntervalMs: 1 }, payload, log, (wish) => wishes.add(wish))
  await reporter.finish({ state: 'success' })
  return { log, wishes: [...wishes] }
}

describe('the log of a job', () => {
  test('is sent with its size and checksum', async () => {
    const server = new FakeServer()
    const { log } = await report(server, 'hello')
    expect(server.stored.toString()).toBe('hello\n')
    expect(server.endings).toEqual([{ state: 'success', output: { bytesize: 6, checksum: log.checksum } }])
    expect(log.checksum).toBe('crc32:363a3020')
  })

  test('is sent in parts', async () => {
    const server = new FakeServer()
    await report(server, 'x'.repeat(1_200_000))
    expect(server.stored.length).toBe(1_200_001)
  })

  test('has each part once, where answers are lost', async () => {
    const lost = (take: () => JobAnswer): JobAnswer => {
      take()
      throw new ServerUnreachable('lost')
    }
    const server = new FakeServer([lost, () => answer(502), () => answer(429), lost])
    await report(server, 'x'.repeat(600_000))
    expect(server.stored.toString()).toBe(`${'x'.repeat(600_000)}\n`)
    expect(server.endings).toHaveLength(1)
  })

  test('is given up where the server has another one', async () => {
    const server = new FakeServer()
    server.stored = Buffer.from('a log that is longer than that of the runner')
    expect((await report(server, 'short')).wishes).toContain('forget')
    expect(server.endings).toEqual([])
  })

  test.each([
    ['canceling', 202, 'cancel'],
    ['canceled', 202, 'forget'],
    ['failed', 403, 'forget'],
    [null, 403, 'forget'],
    [null, 404, 'forget'],
    ['running', 202, 'go_on'],
  ])('an answer for a job that is %s, with %i, means %s', async (jobStatus, status, wish) => {
    const odd = (take: () => JobAnswer) => ({ ...take(), jobStatus, httpStatus: status })
    expect((await report(new FakeServer([odd]), 'x')).wishes[0]).toBe(wish)
  })

  test('ends at its limit, and has the result nevertheless', () => {
    const log = new JobLog(systemClock, [], [])
    for (let part = 0; part < 10; part += 1) log.write(Buffer.alloc(1024 * 1024, 'x'))
    log.result('the result')
    const text = log.next(2 ** 30).toString()
    expect(text.length).toBeLessThan(4 * 1024 * 1024 + 1000)
    expect(text).toMatch(/The log has reached its limit of 4194304 bytes[\s\S]*the result\n$/)
  })
})
