/** What holds for every operation of the server, and how much of the contract the server has (docs/contract). */

import { globSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
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
  test('exists once', () => {
    const { operations } = server.app
    expect(operations.length).toBeGreaterThan(0)
    expect(repeated(operations.map(({ id }) => id))).toEqual([])
    expect(repeated(operations.map(shapeOf))).toEqual([])
  })

  test('has an id of a resource and an action', () => {
    expect(offending(({ id }) => !/^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/.test(id))).toEqual([])
  })

  test('has a contract number or name of its own', () => {
    const numbered = /^\d+\.\d+[a-z]?$/
    const named = /^x(\.[a-z0-9_]+){1,2}$/
    const ruled = /^\d\d R\d+$/
    expect(offending(({ contract }) => ![numbered, named, ruled].some((form) => form.test(contract)))).toEqual([])
    expect(repeated(server.app.operations.map(({ contract }) => contract))).toEqual([])
  })

  test('has a path of the usual form', () => {
    expect(
      offending(({ path }) => !/^(\/([a-z0-9_.-]+|[a-z0-9_.-]*:[a-z_]+))+$/.test(path) || path.endsWith('/')),
    ).toEqual([])
  })

  test('names only path parameters that its path has', () => {
    const unknown = ({ path, params = {} }: Operation) =>
      Object.entries(params).some(
        ([name, param]) => 'otherwise' in (param as object) && !path.split(/[/.]/).includes(`:${name}`),
      )
    expect(offending(unknown)).toEqual([])
  })

  test('has a summary of one line without a full stop', () => {
    const isLine = (summary: string) => /^[A-Z`].{5,99}[^.\s]$/u.test(summary)
    expect(offending(({ summary }) => !isLine(summary))).toEqual([])
    expect(offending(({ tag }) => !/^[A-Z][\w ,-]+$/u.test(tag))).toEqual([])
  })

  test('declares a successful result', () => {
    const isSuccess = ({ result: [status, schema] }: Operation) =>
      status >= 200 && status < 400 && typeof schema === 'object' && (status !== 204 || 'nothing' in schema)
    expect(offending((operation) => !isSuccess(operation))).toEqual([])
  })

  test('answers JSON, bytes, or nothing with 204 and to HEAD: clients parse the body of every other success', () => {
    const isEmpty = ({ method, result: [status, schema] }: Operation) =>
      'nothing' in schema && status !== 204 && method !== 'HEAD'
    expect(offending(isEmpty)).toEqual([])
  })

  test('declares the parameters that its rules name', () => {
    const unknown = ({ params = {}, exactlyOne = [], atLeastOne = [], alsoEnough = [], exclusive = [] }: Operation) =>
      [...exactlyOne, ...atLeastOne, ...alsoEnough, ...exclusive.flat()].some((name) => !Object.hasOwn(params, name))
    expect(offending(unknown)).toEqual([])
  })

  test('is in the OpenAPI document', async () => {
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

describe('a route of another service', () => {
  test('is in the document under its own name, and is not an operation', async () => {
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

type Listed = { id: string; method: string; path: string; part: string }

const folder = fileURLToPath(new URL('../docs/contract/', import.meta.url))

const listed: Listed[] = readdirSync(`${folder}ops`).flatMap((name) =>
  (JSON.parse(readFileSync(`${folder}ops/${name}`, 'utf8')) as Omit<Listed, 'part'>[]).map((entry) => ({
    ...entry,
    part: name.slice(0, 2),
  })),
)
const byId = new Map(listed.map((entry) => [entry.id, entry]))

/** Paths in the list are below `/api/v4`, or from the root behind `root:`. */
const shapeOfListed = (path: string) => path.replace(/^root:/, '').replace(/[:{*]\w+\}?/g, ':')

/** What the server has and the lists do not, with the text of the contract that it follows; none where it is our own. */
const unlisted: Record<string, [part: string, text: string] | null> = {
  '20 R8': ['20', '**R8 Avatars:**'],
  '20 R10': ['20', '**R10 Confirmation'],
  '25 R1': ['25', '**R1 Unsubscribing'],
  '25 R2': ['25', '**R2 One click'],
  'x.appearance_image': ['25', 'Files are served as 20 R8 does'],
  'x.group_label_delete_legacy': ['17', 'DELETE /groups/:id/labels'],
  'x.group_label_update_legacy': ['17', 'PUT /groups/:id/labels'],
  'x.label_promote_legacy': ['17', 'PUT /projects/:id/labels/promote'],
  'x.openapi': null,
  'x.repo_archive_suffix': ['22', '/archive.tar.gz'],
  '22 direct_asset_url': ['22', 'direct_asset_url'],
  '22 permalink': ['22', 'permalink'],
  '22 sources': ['22', 'sources'],
}

function textOfPart(part: string): string {
  const name = readdirSync(folder).find((file) => file.startsWith(`${part}-`))
  return name === undefined ? '' : readFileSync(`${folder}${name}`, 'utf8')
}

describe('the contract', () => {
  test('lists each operation once', () => {
    expect(repeated(listed.map(({ id }) => id))).toEqual([])
  })

  test('lists every operation and route of the server, with the same method and path', () => {
    const wrong = [...server.app.operations, ...server.app.routes].filter(({ contract, method, path }) => {
      const entry = byId.get(contract)
      if (!entry) return !Object.hasOwn(unlisted, contract)
      return entry.method !== method || shapeOfListed(entry.path) !== shapeOfListed(path)
    })
    expect(
      wrong.map(({ contract, method, path }) => `${contract} ${method} ${path}`),
      'each has a line with its id, method and path in docs/contract/ops/<part>.json',
    ).toEqual([])
  })

  test('has the text that unlisted operations follow', () => {
    const missing = Object.values(unlisted).filter((source) => source && !textOfPart(source[0]).includes(source[1]))
    expect(missing).toEqual([])
  })

  test('has every part and rule that the code cites', () => {
    const root = fileURLToPath(new URL('..', import.meta.url))
    const missing = new Set<string>()
    for (const file of globSync('{src,tests,docs/decisions}/**/*.{ts,md}', { cwd: root })) {
      const text = readFileSync(`${root}${file}`, 'utf8')
      for (const [cited, part = '', rule] of text.matchAll(/\bcontract (\d\d)\b(?:,? (R\d+)\b)?/g)) {
        const contents = textOfPart(part)
        if (contents === '' || (rule && !contents.includes(`**${rule} `) && !contents.includes(`### ${rule} `)))
          missing.add(`${file}: ${cited}`)
      }
      for (const [cited, id = ''] of text.matchAll(/\bcontract (\d\.\d+[a-z]?)\b/g)) {
        if (!byId.has(id)) missing.add(`${file}: ${cited}`)
      }
    }
    expect([...missing]).toEqual([])
  })

  /** Beginnings of the names of operations that the server does not have. */
  const unserved: string[] = []

  test('lists only operations that the server has, but for these', () => {
    const all = [...server.app.operations, ...server.app.routes]
    // A part may list what it adds to an operation of another part.
    const served = new Set(all.map(({ method, path }) => `${method} ${shapeOfListed(path)}`))
    const missing = listed.filter(({ method, path }) => !served.has(`${method} ${shapeOfListed(path)}`))
    const familyOf = (id: string) => unserved.find((beginning) => id.startsWith(beginning)) ?? id
    expect(
      [...new Set(missing.map(({ id }) => familyOf(id)))].sort(),
      'an operation that is missing here was added: remove it from `unserved`; one that is new here was lost',
    ).toEqual(unserved.toSorted())
  })
})
