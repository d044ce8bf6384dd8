import { computed, forms, object, of, oneOf, type Static, Type } from '../../../api/index.ts'
import { downloadUrl, type ReleaseLocation } from '../addresses.ts'
import { type LinkRow, linkTypes } from '../tables.ts'

/** The release of a link, unless the caller may not read the code: the permanent address has the name of the tag. */
type LinkView = { location: ReleaseLocation | null }

/** A link of a release (contract 22, Link). */
export const ReleaseLink = object('ReleaseLink', of<LinkRow, LinkView>(), {
  id: forms.id,
  name: Type.String(),
  url: Type.String(),
  direct_asset_url: computed(Type.String(), ({ filepath, url }, { location }) =>
    filepath === null || location === null ? url : downloadUrl(location, filepath),
  ),
  link_type: oneOf(linkTypes),
})
export type PresentedLink = Static<typeof ReleaseLink>
