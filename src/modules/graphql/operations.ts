import { ApiError, anything, instance, type Param, reading as readingScopes, t } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { openReading } from './reading/reading.ts'
import { runQuery } from './run.ts'

const longestVariables = 100_000

/** Values by name: an object, or its JSON as text. */
const variables: Param<Record<string, unknown>, false> = {
  ...t.string(),
  emptyIsAbsent: true,
  schema: {
    type: 'object',
    additionalProperties: true,
    description: 'Values of the variables by their names; also as JSON text.',
  },
  read(value, name, problems) {
    try {
      const read = typeof value === 'string' && value.length <= longestVariables ? JSON.parse(value) : value
      if (read === null) return undefined
      if (typeof read === 'object' && !Array.isArray(read)) return read as Record<string, unknown>
    } catch {
      // Said below.
    }
    problems.push({ name, missing: false, text: 'is invalid' })
    return undefined
  },
}

const query = {
  query: t.string({ description: 'A document of the query language, of at most 10,000 characters.' }),
  variables,
  operationName: t.string({ description: 'Which query of the document is run.' }),
}

const mostRequests = 10

const requests = t.array(t.object(query), {
  maximum: mostRequests,
  description: `At most ${mostRequests} queries at once, answered by a list; a JSON body may also be this list itself.`,
})

const invalidToken = () => new ApiError('invalid_token', 401, { errors: [{ message: 'Invalid token' }] })

const shared = {
  tag: 'GraphQL',
  path: '/api/graphql',
  root: true,
  subject: instance,
  allow: 'public',
  // A query changes nothing, whatever the method.
  scopes: readingScopes,
  refusedCredentials: invalidToken,
  result: [200, anything],
} as const

export const graphqlPost = operation({
  ...shared,
  id: 'graphql.post',
  contract: 'x.graphql_post',
  method: 'POST',
  summary: 'Run a GraphQL query',
  description: 'The schema is that of the query for introspection. Fields that the caller may not read are null.',
  params: { ...query, requests },
  listBody: 'requests',
  async run({ platform, actor, request, params: { requests: several, ...one } }) {
    const reading = openReading(platform, actor, request)
    if (!several) return runQuery(one, reading)
    const results: object[] = []
    for (const each of several) results.push(await runQuery(each, reading))
    return results
  },
})

export const graphqlGet = operation({
  ...shared,
  id: 'graphql.get',
  contract: 'x.graphql_get',
  method: 'GET',
  summary: 'Run a GraphQL query given in the URL',
  params: query,
  run: ({ platform, actor, request, params }) => runQuery(params, openReading(platform, actor, request)),
})
