import type { Method } from '../operation/operation.ts'
import { headerReferences } from './openapi-components.ts'
import type { JsonSchema } from './openapi-schemas.ts'

/**
 * What a service answers beside the operations, such as git over HTTP: its paths hold a project's path with all its slashes, and
 * what goes over them is no JSON of ours. It is described here for the documentation; the service itself does the work.
 */
export type ServedRoute = {
  /** `git.info_refs` */
  id: string
  /** The contract's name: `x.git_info_refs`. */
  contract: string
  method: Method
  /** From the root, parameters in braces: `/{project_path}.git/info/refs`. */
  path: string
  tag: string
  summary: string
  description: string
  query?: Readonly<Record<string, { required: boolean; description: string }>>
  /** How callers authenticate; by default as for git, or not at all; `none`: they do not. */
  security?: 'registryToken' | 'alertKey' | 'none'
  /** Media type of the body that it takes. */
  takes?: string
  /** Answers by status: what each means, and its media type where it has a body. */
  answers: Readonly<Record<number, { description: string; mediaType?: string }>>
}

const pathParameters: Record<string, string> = {
  project_path: 'Full path of the project; its slashes are sent as they are.',
  name: 'Name of the image repository; its slashes are sent as they are.',
}

const anything = { schema: {} }

function securityOf({ security }: ServedRoute): JsonSchema[] {
  if (security === undefined) return [{}, { basic: [] }]
  return security === 'none' ? [] : [{ [security]: [] }]
}

/** Whether an answer refers to another address with the header `Location`. */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}

/** A route as OpenAPI describes it. */
export function routeObject(route: ServedRoute): JsonSchema {
  const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const text = { type: 'string' }
  const inPath = named.map((name) => ({
    ...{ name, in: 'path', required: true, schema: text },
    ...(pathParameters[name] ? { description: pathParameters[name] } : {}),
  }))
  const inQuery = Object.entries(route.query ?? {}).map(([name, rest]) => ({
    name,
    in: 'query',
    schema: text,
    ...rest,
  }))
  const answers = Object.entries(route.answers).map(([status, { description, mediaType }]) => {
    const headers = isRedirect(Number(status)) ? { headers: headerReferences('Location') } : {}
    return [status, { description, ...headers, ...(mediaType ? { content: { [mediaType]: anything } } : {}) }]
  })
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    ...(inPath.length + inQuery.length > 0 ? { parameters: [...inPath, ...inQuery] } : {}),
    ...(route.takes ? { requestBody: { required: true, content: { [route.takes]: anything } } } : {}),
    security: securityOf(route),
    responses: Object.fromEntries(answers),
    'x-contract': route.contract,
  }
}
