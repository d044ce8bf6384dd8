/** What holds for every operation that the server has, whatever it does (contract README and 00). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../src/api/index.ts'
import { startTestServer, type TestServer } from '../src/testing/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** An address with its parameters nameless: two that differ only in names are the same. */
const shapeOf = ({ method, path, root }: Operation) => `${method} ${root ? '' : '/api/v4'}${path.replace(/:\w+/g, ':')}`

function repeated(values: string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index)
}

const offending = (isWrong: (operation: Operation) => boolean) =>
  server.app.operations.filter(isWrong).map(({ id, method, path }) => `${id} (${method} ${path})`)

describe('every operation', () => {
  test('is there once', () => {
    const { operations } = server.app
    expect(operations.length).toBeGreaterThan(0)
    expect(repeated(operations.map(({ id }) => id))).toEqual([])
    expect(repeated(operations.map(shapeOf))).toEqual([])
  })

  test('has an id of a place and what is done there', () => {
    expect(offending(({ id }) => !/^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/.test(id))).toEqual([])
  })

  test('stands in the contract, under a number or name that no other has', () => {
    const numbered = /^\d+\.\d+[a-z]?$/
    const named = /^x\.[a-z0-9_]+$/
    const ruled = /^\d\d R\d+$/
    expect(offending(({ contract }) => ![numbered, named, ruled].some((form) => form.test(contract)))).toEqual([])
    expect(repeated(server.app.operations.map(({ contract }) => contract))).toEqual([])
  })

  test('has a path as the others have', () => {
    expect(
      offending(({ path }) => !/^(\/([a-z0-9_.-]+|[a-z0-9_.-]*:[a-z_]+))+$/.test(path) || path.endsWith('/')),
    ).toEqual([])
  })

  test('names only path parameters that its path has', () => {
    const unknown = ({ path, numericPath = {} }: Operation) =>
      Object.keys(numericPath).some((name) => !path.split(/[/.]/).includes(`:${name}`))
    expect(offending(unknown)).toEqual([])
  })

  test('says what it does in a line, without a full stop', () => {
    const isLine = (summary: string) => /^[A-Z`].{5,99}[^.\s]$/u.test(summary)
    expect(offending(({ summary }) => !isLine(summary))).toEqual([])
    expect(offending(({ tag }) => !/^[A-Z][\w ,-]+$/u.test(tag))).toEqual([])
  })

  test('declares a success with a form', () => {
    const isSuccess = ({ result: [status, schema] }: Operation) =>
      status >= 200 && status < 400 && typeof schema === 'object' && (status !== 204 || 'nothing' in schema)
    expect(offending((operation) => !isSuccess(operation))).toEqual([])
  })

  test('takes only parameters that it names in its rules about them', () => {
    const unknown = ({ params = {}, atLeastOne = [], exclusive = [] }: Operation) =>
      [...atLeastOne, ...exclusive.flat()].some((name) => !Object.hasOwn(params, name))
    expect(offending(unknown)).toEqual([])
  })

  test('is documented as it is', async () => {
    const { status, body } = await server.anonymous.get('/openapi.json')
    expect(status).toBe(200)
    type Documented = { operationId: string; summary: string; 'x-contract': string; responses: object }
    const documented = new Map<string, Documented>()
    for (const [path, methods] of Object.entries<Record<string, Documented>>(body.paths)) {
      for (const [method, entry] of Object.entries(methods)) {
        documented.set(`${method.toUpperCase()} ${path.replace(/\{\w+\}/g, ':')}`, entry)
      }
    }
    const isMissing = (operation: Operation) => {
      const entry = documented.get(shapeOf(operation))
      const isSame = entry?.operationId === operation.id && entry['x-contract'] === operation.contract
      return !isSame || entry.summary !== operation.summary || !Object.hasOwn(entry.responses, operation.result[0])
    }
    expect(offending(isMissing)).toEqual([])
    expect(documented.size).toBe(server.app.operations.length + server.app.routes.length)
  })
})

describe('what is served beside the operations', () => {
  test('is documented under its own name, and is not an operation', async () => {
    const { body } = await server.anonymous.get('/openapi.json')
    const { routes, operations } = server.app
    expect(routes.length).toBeGreaterThan(0)
    const ids = new Set(operations.flatMap(({ id, contract }) => [id, contract]))
    for (const { id, contract, method, path } of routes) {
      expect(body.paths[path][method.toLowerCase()]).toMatchObject({ operationId: id, 'x-contract': contract })
      expect([ids.has(id), ids.has(contract)]).toEqual([false, false])
    }
  })
})
