import { describe, expect, test } from 'vitest'
import { manualClock } from '../infra/clock/index.ts'
import { showProgress } from './progress.ts'

function shown(options: { isTTY: boolean; quiet?: boolean }) {
  const clock = manualClock({ start: '2026-01-01T00:00:00Z' })
  const lines: string[] = []
  const output = { isTTY: options.isTTY, write: (text: string) => lines.push(text) }
  return { clock, lines, progress: showProgress(output, { quiet: options.quiet ?? false, clock }) }
}

describe('on a terminal', () => {
  test('a bar shows the share, what is done, and the remaining time once a rate is known', () => {
    const { clock, lines, progress } = shown({ isTTY: true })
    progress.step('Repositories', 10)
    expect(lines.at(-1)).toBe(`\r\u001b[K[${'.'.repeat(30)}] Repositories 0 %`)
    clock.advance(1000)
    progress.advance(1)
    expect(lines.at(-1)).toBe(`\r\u001b[K[###${'.'.repeat(27)}] Repositories 10 %`)
    clock.advance(29_000)
    progress.advance(1, 'Objects')
    expect(lines.at(-1)).toBe(`\r\u001b[K[######${'.'.repeat(24)}] Objects 20 %, 2:00 left`)
    progress.end()
    expect(lines.slice(-2)).toEqual([`\r\u001b[K[${'#'.repeat(30)}] Objects 100 %`, '\n'])
    const count = lines.length
    progress.end()
    expect(lines).toHaveLength(count)
  })

  test('what counts bytes or items shows the rate, once two seconds have passed', () => {
    const { clock, lines, progress } = shown({ isTTY: true })
    const last = () => lines.at(-1)?.slice('\r\u001b[K'.length)
    progress.step('Objects', 40_000_000, 'bytes')
    clock.advance(1999)
    progress.advance(4_000_000)
    expect(last()).toBe(`[###${'.'.repeat(27)}] Objects 10 %`)
    clock.advance(1)
    progress.advance(6_500_000)
    expect(last()).toBe(`[########${'.'.repeat(22)}] Objects 26 %, 5.3 MB/s, 0:06 left`)
    progress.step('Repositories', 10, 'items')
    clock.advance(4000)
    progress.advance(3)
    expect(last()).toBe(`[#########${'.'.repeat(21)}] Repositories 30 %, 0.8/s, 0:10 left`)
  })

  test('without a total, what is done and the rate are shown', () => {
    const { clock, lines, progress } = shown({ isTTY: true })
    const last = () => lines.at(-1)?.slice('\r\u001b[K'.length)
    progress.step('Repositories', undefined, 'items')
    clock.advance(1000)
    progress.advance(12)
    expect(last()).toBe('Repositories 12')
    clock.advance(1000)
    progress.advance(2988)
    expect(last()).toBe('Repositories 3000, 1500/s')
    progress.step('Objects', undefined, 'bytes')
    clock.advance(2000)
    progress.advance(1_990_000)
    expect(last()).toBe('Objects 2 MB, 995 kB/s')
  })

  test.each([
    [0, ''],
    [7, '7 B, 4 B/s'],
    [1998, '2 kB, 999 B/s'],
    [19_990, '20 kB, 10 kB/s'],
    [1_999_999_999_999_999, '2000 TB, 1000 TB/s'],
  ])('%d bytes in two seconds are %j', (bytes, text) => {
    const { clock, lines, progress } = shown({ isTTY: true })
    progress.step('Objects', undefined, 'bytes')
    clock.advance(2000)
    progress.advance(bytes)
    expect(lines.at(-1)).toBe(`\r\u001b[KObjects ${text}`)
  })

  test('a step without a total has its name alone, and a note moves the bar down', () => {
    const { lines, progress } = shown({ isTTY: true })
    progress.step('Database')
    progress.note('one table is empty')
    expect(lines).toEqual(['\r\u001b[KDatabase ', '\r\u001b[Kone table is empty\n', '\r\u001b[KDatabase '])
  })

  test('it is drawn again only when it differs', () => {
    const { lines, progress } = shown({ isTTY: true })
    progress.step('Objects', 100_000)
    for (let count = 0; count < 500; count += 1) progress.advance(1)
    expect(lines).toHaveLength(2)
  })
})

describe('without a terminal', () => {
  test('a long step tells the rate now and then', () => {
    const { clock, lines, progress } = shown({ isTTY: false })
    progress.step('Objects', 400, 'items')
    clock.advance(30_000)
    progress.advance(300)
    expect(lines).toEqual(['Objects\n', 'Objects 75 %, 10/s, 0:10 left\n'])
  })

  test('each step is a line, and one that lasts long another one now and then', () => {
    const { clock, lines, progress } = shown({ isTTY: false })
    progress.step('Repositories', 4)
    clock.advance(29_999)
    progress.advance(1)
    expect(lines).toEqual(['Repositories\n'])
    clock.advance(1)
    progress.advance(1)
    progress.end()
    expect(lines).toEqual(['Repositories\n', 'Repositories 50 %, 0:30 left\n'])
  })
})

test('a quiet one shows notes alone', () => {
  for (const isTTY of [true, false]) {
    const { clock, lines, progress } = shown({ isTTY, quiet: true })
    progress.step('Repositories', 2)
    clock.advance(60_000)
    progress.advance(1)
    progress.note('one is missing')
    progress.end()
    expect(lines).toEqual(['one is missing\n'])
  }
})
