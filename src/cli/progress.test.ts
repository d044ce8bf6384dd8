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
