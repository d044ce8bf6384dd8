import { computed, forms, from, object, of, Type } from '../../api/index.ts'
import type { SecureFileRow } from './tables.ts'

/** A secure file (contract 24, SecureFile). */
export const SecureFile = object('SecureFile', of<SecureFileRow>(), {
  id: forms.id,
  name: Type.String(),
  checksum: from(Type.String(), 'sha256'),
  checksum_algorithm: computed(Type.String(), () => 'sha256'),
  created_at: forms.timestamp,
  expires_at: computed(forms.nullableTimestamp, () => null),
  metadata: computed(forms.nullableString, () => null),
  metadata_parsable: computed(Type.Boolean(), () => false),
  file_extension: computed(forms.nullableString, ({ name }) => /\.([^.]+)$/.exec(name)?.[1] ?? null),
})
