import fc from 'fast-check'
import { buildSchema, type OperationDefinitionNode, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { costOf, refusalsOf } from './bounds.ts'
import { text } from './schema/schema.ts'

const schema = buildSchema(text())

function cost(query: string, variables: Record<string, unknown> = {}) {
  const document = parse(query)
  const operation = document.definitions.find(({ kind }) => kind === 'OperationDefinition') as OperationDefinitionNode
  return costOf(schema, document, operation, variables)
}

/** What is selected of a group: some of its fields, and groups above and below it. */
type Selection = { names: number; parents: Selection[]; below: { first: number; of: Selection }[] }

const names = fc.integer({ min: 1, max: 3 })
const leaf: fc.Arbitrary<Selection> = names.map((count) => ({ names: count, parents: [], below: [] }))

function selectionsOf(levels: number): fc.Arbitrary<Selection> {
  if (levels === 0) return leaf
  const inner = selectionsOf(levels - 1)
  return fc.record({
    names,
    parents: fc.array(inner, { maxLength: 2 }),
    below: fc.array(fc.record({ first: fc.integer({ min: 1, max: 100 }), of: inner }), { maxLength: 2 }),
  })
}

/** The complexity and the depth of a selection, counted field by field. */
function counted({ names, parents, below }: Selection): { complexity: number; depth: number } {
  let [complexity, depth] = [names, 1]
  for (const parent of parents.map(counted)) {
    complexity += 1 + parent.complexity
    depth = Math.max(depth, 1 + parent.depth)
  }
  for (const { first, of } of below) {
    const inner = counted(of)
    complexity += 1 + Math.ceil(first / 20) * (1 + inner.complexity)
    depth = Math.max(depth, 2 + inner.depth)
  }
  return { complexity, depth }
}

/** The text of a selection. @param wrap what is written for the fields of a group */
function written({ names, parents, below }: Selection, wrap: (fields: string) => string): string {
  const fields = [
    ...Array.from({ length: names }, (_, at) => `n${at}: name`),
    ...parents.map((one, at) => `p${at}: parent {${written(one, wrap)}}`),
    ...below.map(({ first, of }, at) => `b${at}: descendantGroups(first: ${first}) {nodes {${written(of, wrap)}}}`),
  ]
  return wrap(fields.join(' '))
}

describe('the cost of a query', () => {
  test('is that of its fields, written in place, in fragments, or in fragments of fragments', () => {
    fc.assert(
      fc.property(selectionsOf(3), (selection) => {
        const expected = counted(selection)
        fc.pre(expected.complexity < 1_000_000)
        const root = (inner: string) => `{group(fullPath: "g") {${inner}}}`
        const fragments: string[] = []
        const named = written(selection, (fields) => {
          fragments.push(`fragment f${fragments.length} on Group {${fields}}`)
          return `...f${fragments.length - 1}`
        })
        for (const query of [
          root(written(selection, (fields) => fields)),
          root(written(selection, (fields) => `... on Group {... {${fields}}}`)),
          `${root(named)} ${fragments.join(' ')}`,
          `${fragments.toReversed().join(' ')} ${root(named)}`,
        ]) {
          const { complexity, depth } = cost(query)
          expect([query, complexity, depth]).toEqual([query, expected.complexity + 1, expected.depth + 1])
        }
      }),
    )
  })

  test.each<[query: string, complexity: number, depth: number]>([
    ['{a: echo(text: "") ...f} fragment f on Query {b: echo(text: "")}', 2, 1],
    ['{...f ...f} fragment f on Query {echo(text: "")}', 2, 1],
    ['{...f} fragment f on Query {...f echo(text: "")}', 1, 1],
    ['{...none}', 0, 0],
    ['{nope {nope {nope}}}', 3, 3],
    ['mutation {nope {nope}}', 2, 2],
    ['{users(first: 0) {count}}', 2, 2],
    ['{users(first: "x") {count}}', 6, 2],
    ['{users(first: -5) {count}}', 2, 2],
    ['{users(last: 41) {count}}', 4, 2],
    ['{users(first: 1, last: 100) {count}}', 6, 2],
    ['{__schema {types {name}} __typename}', 0, 0],
    ['{user(username: "a") {__typename}}', 1, 1],
  ])('%s', (query, complexity, depth) => {
    expect(cost(query)).toMatchObject({ complexity, depth })
  })

  test.each<[n: unknown, complexity: number]>([
    [20, 2],
    [21, 3],
    [1e9, 6],
    [null, 6],
    ['20', 2],
    [{}, 6],
    [undefined, 4],
  ])('takes a variable: %j', (n, complexity) => {
    const variables = n === undefined ? {} : { n }
    expect(cost('query ($n: Int = 60) {users(first: $n) {count}}', variables).complexity).toBe(complexity)
  })

  test('is refused by its numbers alone', () => {
    const none = { complexity: 250, depth: 20, introspection: 1_000, hasAlias: false }
    expect(refusalsOf(none, 250)).toEqual([])
    expect(refusalsOf({ ...none, complexity: 251, depth: 21 }, 250)).toEqual([
      'Query has complexity of 251, which exceeds max complexity of 250',
      'Query has depth of 21, which exceeds max depth of 20',
    ])
    expect(refusalsOf({ ...none, introspection: 1_001 }, 250)).toEqual([
      'Query has introspection of 1001, which exceeds max introspection of 1000',
    ])
    expect(cost('{__schema {t: types {name}}}').hasAlias).toBe(true)
    expect(cost('{s: __schema {types {name}} t: __type(name: "User") {name}}').hasAlias).toBe(false)
  })
})
