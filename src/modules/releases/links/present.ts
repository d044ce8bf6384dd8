import { forms, oneOf, type Static, Type } from '../../../api/index.ts'
import { downloadUrl, type ReleaseLocation } from '../addresses.ts'
import { type LinkRow, linkTypes } from '../tables.ts'

/** A link of a release (contract 22, Link). */
export const ReleaseLink = Type.Object(
  {
    id: forms.id,
    name: Type.String(),
    url: Type.String(),
    direct_asset_url: Type.String(),
    link_type: oneOf(linkTypes),
  },
  { title: 'ReleaseLink' },
)
export type PresentedLink = Static<typeof ReleaseLink>

/** @param readsCode whether the caller may read the code; else the name of the tag is not shown */
export function presentLink(link: LinkRow, location: ReleaseLocation, readsCode = true): PresentedLink {
  const { id, name, url, filepath, link_type } = link
  // The permanent address contains the name of the tag.
  const direct = filepath === null || !readsCode ? url : downloadUrl(location, filepath)
  return { id, name, url, direct_asset_url: direct, link_type }
}
