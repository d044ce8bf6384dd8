/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'e5aea90dabc6851330e018540ecce484b9b520d3da7ed6907d008949eb4fb6b2',
    postgres: '8ecfd159cd20593342baa737cf36b63eb659a609828a646b02910ef81e120755',
  },
} as const
