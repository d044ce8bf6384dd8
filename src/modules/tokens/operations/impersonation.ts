import {
  instance,
  nothing,
  type Operation,
  operation,
  pageOf,
  pathId,
  readingUsers,
  requireUnmodified,
  t,
  writing,
} from '../../../api/index.ts'
import type { ImpersonationTokens } from '../impersonation.ts'
import { scopeList } from '../params.ts'
import { ImpersonationToken, NewImpersonationToken } from '../present.ts'

const path = '/users/:id/impersonation_tokens'

/** Impersonation tokens, with which administrators act as somebody (contract 20, x.imp_*). */
export function impersonationTokenOperations(tokens: ImpersonationTokens): Operation[] {
  const shared = { tag: 'Impersonation tokens', subject: instance, allow: 'administrator' as const }
  const onOne = {
    ...shared,
    path: `${path}/:impersonation_token_id`,
    numericPath: { id: 'route', impersonation_token_id: 'route' } as const,
  }
  return [
    operation({
      ...shared,
      id: 'impersonation_tokens.list',
      contract: 'x.imp_list',
      method: 'GET',
      path,
      summary: 'List the impersonation tokens of a user',
      scopes: readingUsers,
      numericPath: { id: 'route' },
      params: { state: t.oneOf(['all', 'active', 'inactive']) },
      result: [200, pageOf(ImpersonationToken)],
      run: ({ params, page, request }) => tokens.list(pathId(request.path.id), params.state, page),
    }),
    operation({
      ...onOne,
      id: 'impersonation_tokens.get',
      contract: 'x.imp_get',
      method: 'GET',
      summary: 'Get an impersonation token',
      scopes: readingUsers,
      result: [200, ImpersonationToken],
      run: ({ request: { path } }) => tokens.get(pathId(path.id), pathId(path.impersonation_token_id)),
    }),
    operation({
      ...shared,
      id: 'impersonation_tokens.create',
      contract: 'x.imp_create',
      method: 'POST',
      path,
      summary: 'Create an impersonation token',
      scopes: writing,
      numericPath: { id: 'route' },
      params: {
        name: t.required(t.string()),
        description: t.string(),
        scopes: scopeList({ description: 'Needed, though a missing list is answered as an empty one.' }),
        expires_at: t.date(),
      },
      result: [201, NewImpersonationToken],
      run: ({ params: { scopes = [], ...rest }, request }) =>
        tokens.create(pathId(request.path.id), { ...rest, scopes }),
    }),
    operation({
      ...onOne,
      id: 'impersonation_tokens.delete',
      contract: 'x.imp_delete',
      method: 'DELETE',
      summary: 'Revoke an impersonation token',
      scopes: writing,
      result: [204, nothing],
      run: ({ request }) =>
        tokens.revoke(pathId(request.path.id), pathId(request.path.impersonation_token_id), (updatedAt) =>
          requireUnmodified(request, updatedAt),
        ),
    }),
  ]
}
