import { describe, expect, test } from 'vitest'
import { statusBy } from './statuses.ts'

describe('a status', () => {
  const at = new Date('2026-03-01T12:00:00.000Z')
  const earlier = (ms: number) => new Date(at.getTime() - ms).toISOString()
  test.each([
    [undefined, 'pending'],
    [{ status: 'passed', answered_at: earlier(3_600_000) }, 'passed'],
    [{ status: 'failed', answered_at: earlier(0) }, 'failed'],
    [{ status: 'pending', answered_at: earlier(119_999) }, 'pending'],
    [{ status: 'pending', answered_at: earlier(120_000) }, 'failed'],
  ] as const)('of %j is %s', (response, status) => expect(statusBy(response, at)).toBe(status))
})
