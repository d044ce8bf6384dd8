import type { Client } from '../../testing/index.ts'

/** What a query is answered with. */
export type QueryResult = {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every corner of an answer
  data?: any
  errors?: { message: string; path?: (string | number)[]; locations?: object[] }[]
}

/** Runs a query. @throws Error when it is not answered with 200 */
export async function ask(client: Client, query: string, variables?: object): Promise<QueryResult> {
  const { status, body } = await client.post('root:/api/graphql', { query, ...(variables && { variables }) })
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

/** The data of a query that has no errors. */
export async function dataOf(client: Client, query: string, variables?: object) {
  const { data, errors } = await ask(client, query, variables)
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}

/** The messages of the errors of a query. */
export const problemsOf = async (client: Client, query: string, variables?: object) =>
  (await ask(client, query, variables)).errors?.map(({ message }) => message) ?? []
