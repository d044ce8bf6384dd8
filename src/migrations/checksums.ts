/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '9b5eaf227eaee7437fa1dfb55da15d80456de33a0464c992ffb2863ad7f6c152',
    postgres: 'f9fe4782237279818b3da7946a3c422f005c0a66aa069c414d39a30f16e83398',
  },
} as const
