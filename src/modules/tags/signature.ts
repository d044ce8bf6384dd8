import { notFound, oneOf, type Static, Type } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import { openRepository } from '../../platform/repositories/index.ts'
import { PgpKey, unknownPgpKey } from '../commits/index.ts'
import type { Project } from '../projects/index.ts'

/** The signature of a tag; its kind decides which members it has (contract 22, x.tags_signature). */
export const TagSignature = Type.Object(
  {
    signature_type: oneOf(['PGP', 'SSH', 'X509']),
    verification_status: Type.String({ examples: ['unverified'] }),
    ...PgpKey,
  },
  { title: 'TagSignature' },
)

/** Describes a signature by its first line. Signatures of tags are not verified. */
function describe(signature: string): Static<typeof TagSignature> {
  const verification_status = 'unverified'
  if (signature.startsWith('-----BEGIN PGP ')) return { signature_type: 'PGP', verification_status, ...unknownPgpKey }
  const isSsh = signature.startsWith('-----BEGIN SSH ')
  return { signature_type: isSsh ? 'SSH' : 'X509', verification_status }
}

/** Gets the signature of a tag (contract 22, x.tags_signature). @throws ApiError 404 Tag, 404 Signature */
export async function getTagSignature(platform: Platform, project: Project, name: string) {
  const { repository, snapshot } = await openRepository(platform, project)
  const tag = snapshot.tag(name)
  if (!tag) throw notFound('Tag')
  const object = tag.type === 'tag' ? (await repository.tagObjects([tag.oid])).get(tag.oid) : undefined
  if (!object?.signature) throw notFound('Signature')
  return describe(object.signature)
}
