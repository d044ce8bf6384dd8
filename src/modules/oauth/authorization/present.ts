import { forms, nullable, oneOf, Type } from '../../../api/index.ts'

/** What has to happen next with a request of an application. */
const steps = ['consent', 'allowed', 'sign_in', 'refused'] as const
export type Step = (typeof steps)[number]

/** Scopes, with what they allow in words. */
export const AskedScopes = Type.Array(Type.Object({ name: Type.String(), description: Type.String() }))

/** What an application asks for (contract 20 R14). */
export const OauthAuthorization = Type.Object(
  {
    step: oneOf(steps),
    application_name: Type.String(),
    redirect_uri: Type.String(),
    scopes: AskedScopes,
    redirect_to: nullable(Type.String({ description: 'Where a refusal leads' })),
  },
  { title: 'OauthAuthorization' },
)

export const OauthAuthorizationAnswer = Type.Object(
  { redirect_to: Type.String() },
  { title: 'OauthAuthorizationAnswer' },
)

/** An application that the caller has authorised (contract 20 R14). */
export const AuthorizedApplication = Type.Object(
  {
    id: forms.id,
    application_id: Type.String(),
    application_name: Type.String(),
    scopes: forms.strings,
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
  },
  { title: 'AuthorizedOauthApplication' },
)
