import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { manualClock, systemClock } from './index.ts'

describe('the manual clock', () => {
  const start = '2026-01-31T23:59:59.000Z'

  test('does not move until it is advanced', () => {
    const clock = manualClock({ start })
    expect(clock.now().toISOString()).toBe(start)
    clock.advance(1500)
    expect(clock.now().toISOString()).toBe('2026-02-01T00:00:00.500Z')
  })

  test('changing a returned date does not move it', () => {
    const clock = manualClock({ start })
    clock.now().setFullYear(1999)
    expect(clock.now().toISOString()).toBe(start)
  })

  test('fires timers in order of due time, then of creation, each at its own time', () => {
    const clock = manualClock({ start: new Date(0) })
    const fired: [string, number][] = []
    const arm = (name: string, delayMs: number) =>
      clock.setTimer(() => fired.push([name, clock.now().getTime()]), delayMs)
    arm('late', 300)
    arm('first', 100)
    arm('second', 100)
    arm('never', 301)
    clock.advance(300)
    expect(fired).toEqual([
      ['first', 100],
      ['second', 100],
      ['late', 300],
    ])
    expect(clock.pendingTimers).toBe(1)
  })

  test('a timer that sets itself again fires each time it is due', () => {
    const clock = manualClock({ start })
    let count = 0
    const tick = () => {
      count++
      clock.setTimer(tick, 1000)
    }
    clock.setTimer(tick, 1000)
    clock.advance(5000)
    expect(count).toBe(5)
  })

  test('a timer without delay that sets itself again does not loop forever', () => {
    const clock = manualClock({ start })
    let count = 0
    const tick = () => {
      count++
      clock.setTimer(tick, 0)
    }
    clock.setTimer(tick, -5)
    clock.advance(10)
    expect(count).toBe(10)
  })

  test('a cancelled timer does not fire, also when another timer cancels it while firing', () => {
    const clock = manualClock({ start })
    const fired: string[] = []
    clock.setTimer(() => fired.push('cancelled'), 10).cancel()
    clock.setTimer(() => second.cancel(), 20)
    const second = clock.setTimer(() => fired.push('second'), 20)
    clock.advance(100)
    expect(fired).toEqual([])
    expect(clock.pendingTimers).toBe(0)
  })

  test('rejects invalid arguments', () => {
    expect(() => manualClock({ start: 'yesterday' })).toThrow(RangeError)
    expect(() => manualClock({ start }).advance(-1)).toThrow(RangeError)
    expect(() => manualClock({ start }).advance(Number.NaN)).toThrow(RangeError)
  })
})

describe('the system clock', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('fires once, and not when cancelled', () => {
    const fn = vi.fn()
    systemClock.setTimer(fn, 1000)
    systemClock.setTimer(fn, 1000).cancel()
    vi.advanceTimersByTime(999)
    expect(fn).not.toHaveBeenCalled()
    vi.advanceTimersByTime(5000)
    expect(fn).toHaveBeenCalledOnce()
  })

  test('a timer of sixty days waits for sixty days', () => {
    const dayMs = 86_400_000
    const fn = vi.fn()
    systemClock.setTimer(fn, 60 * dayMs)
    vi.advanceTimersByTime(59 * dayMs)
    expect(fn).not.toHaveBeenCalled()
    vi.advanceTimersByTime(dayMs)
    expect(fn).toHaveBeenCalledOnce()
  })

  test('does not keep the process alive', () => {
    vi.useRealTimers()
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const timer = systemClock.setTimer(() => {}, 60_000)
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBe(before)
    timer.cancel()
  })
})

test.each([-5, 0])('a timer of the system clock that is due after %i ms is one of a millisecond', (delayMs) => {
  const timer = vi.spyOn(globalThis, 'setTimeout')
  systemClock.setTimer(() => {}, delayMs).cancel()
  expect(timer).toHaveBeenCalledExactlyOnceWith(expect.any(Function), 1)
  timer.mockRestore()
})
