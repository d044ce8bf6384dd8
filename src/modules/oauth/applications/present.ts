import { forms, type Static, Type } from '../../../api/index.ts'
import type { OauthApplicationRow } from '../tables.ts'

const members = {
  id: forms.id,
  application_id: Type.String(),
  application_name: Type.String(),
  callback_url: Type.String(),
  confidential: Type.Boolean(),
}

/** A client of OAuth (contract 20, x.applications_list). */
export const OauthApplication = Type.Object(members, { title: 'OauthApplication' })

/** With the secret, which only the answer that sets it shows. */
export const NewOauthApplication = Type.Object(
  { ...members, secret: Type.String() },
  { title: 'OauthApplicationWithSecret' },
)

export function presentApplication(row: OauthApplicationRow): Static<typeof OauthApplication> {
  const { id, uid, name, redirect_uri, confidential } = row
  return { id, application_id: uid, application_name: name, callback_url: redirect_uri, confidential }
}
