import { expect, test } from 'vitest'
import { joinExpositions } from './join-expositions.ts'

const exposition = (worker: number, ...more: string[]) =>
  [
    '# HELP a What a is.',
    '# TYPE a counter',
    `a{worker="${worker}"} 1`,
    '',
    '# HELP b b',
    '# TYPE b gauge',
    ...more,
    '',
  ].join('\n')

test('the samples of a metric stand together, below one header', () => {
  const joined = joinExpositions([
    exposition(1, 'b{worker="1"} 2', 'b{x="y",worker="1"} 3'),
    exposition(2),
    '# HELP c c\n# TYPE c gauge\nc 1\n',
  ])
  expect(joined).toBe(
    [
      '# HELP a What a is.\n# TYPE a counter\na{worker="1"} 1\na{worker="2"} 1',
      '# HELP b b\n# TYPE b gauge\nb{worker="1"} 2\nb{x="y",worker="1"} 3',
      '# HELP c c\n# TYPE c gauge\nc 1\n',
    ].join('\n\n'),
  )
})
