import { forms, notFound, type Static, Type } from '../../api/index.ts'
import { type OpeningNeeds, openRepository } from '../repositories/index.ts'

const kinds = ['PGP', 'SSH', 'X509'] as const

/** The signature of a tag; which members there are is for its kind to say (contract 22, x.tags_signature). */
export const TagSignature = Type.Object(
  {
    signature_type: Type.Unsafe<(typeof kinds)[number]>({ type: 'string', enum: [...kinds] }),
    verification_status: Type.String({ examples: ['unverified'] }),
    gpg_key_id: Type.Optional(forms.nullableInteger),
    gpg_key_primary_keyid: Type.Optional(forms.nullableString),
    gpg_key_user_name: Type.Optional(forms.nullableString),
    gpg_key_user_email: Type.Optional(forms.nullableString),
    gpg_key_subkey_id: Type.Optional(forms.nullableInteger),
  },
  { title: 'TagSignature' },
)
export type PresentedTagSignature = Static<typeof TagSignature>

const unknownKey = {
  gpg_key_id: null,
  gpg_key_primary_keyid: null,
  gpg_key_user_name: null,
  gpg_key_user_email: null,
  gpg_key_subkey_id: null,
}

/** What a signature is, by its first line. Nobody looks whether it is good, so that is all that can be said of it. */
function described(signature: string): PresentedTagSignature {
  const verification_status = 'unverified'
  if (signature.startsWith('-----BEGIN PGP ')) return { signature_type: 'PGP', verification_status, ...unknownKey }
  const isSsh = signature.startsWith('-----BEGIN SSH ')
  return { signature_type: isSsh ? 'SSH' : 'X509', verification_status }
}

/** The signature of a tag (x.tags_signature). @throws ApiError 404 Tag, 404 Signature */
export async function signatureOf(
  needs: OpeningNeeds,
  project: { id: number },
  name: string,
): Promise<PresentedTagSignature> {
  const { repository, snapshot } = await openRepository(needs, project)
  const tag = snapshot.tag(name)
  if (!tag) throw notFound('Tag')
  const object = tag.type === 'tag' ? (await repository.tagObjects([tag.oid])).get(tag.oid) : undefined
  if (!object?.signature) throw notFound('Signature')
  return described(object.signature)
}
