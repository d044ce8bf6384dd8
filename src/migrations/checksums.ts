/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '213158fbdc28fb203601a4d189bde04d6a4dbb11b11e7de26c2e79a9214c10c6',
    postgres: '517d7f908229c8d4f9681282edafe721ad80bacc71c29f3530e67df8c22b3dbe',
  },
} as const
