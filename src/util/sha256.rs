//! SHA-256 (FIPS 180-4), for binding an answer to the content of files. Not for secrets: nothing here is constant in time.

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
const K: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

/// A running hash.
#[derive(Clone, Debug)]
pub struct Sha256 {
    state: [u32; 8],
    rest: Vec<u8>,
    total: u64,
}

impl Default for Sha256 {
    fn default() -> Self {
        let state = [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
        Self { state, rest: Vec::with_capacity(64), total: 0 }
    }
}

impl Sha256 {
    /// Take more bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.total = self.total.wrapping_add(bytes.len() as u64);
        let mut bytes = bytes;
        if !self.rest.is_empty() {
            let (head, tail) = bytes.split_at(bytes.len().min(64 - self.rest.len()));
            self.rest.extend_from_slice(head);
            bytes = tail;
            if self.rest.len() < 64 {
                return;
            }
            let block = std::mem::take(&mut self.rest);
            self.blocks(&block);
        }
        let (whole, tail) = bytes.split_at(bytes.len() - bytes.len() % 64);
        self.blocks(whole);
        self.rest.extend_from_slice(tail);
    }

    /// The hash as 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn hex(mut self) -> String {
        let bits = self.total.wrapping_mul(8);
        let mut end = std::mem::take(&mut self.rest);
        end.push(0x80);
        while end.len() % 64 != 56 {
            end.push(0);
        }
        end.extend_from_slice(&bits.to_be_bytes());
        self.blocks(&end);
        self.state.iter().fold(String::with_capacity(64), |mut out, word| {
            for byte in word.to_be_bytes() {
                for digit in [byte >> 4, byte & 15] {
                    out.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
                }
            }
            out
        })
    }

    fn blocks(&mut self, bytes: &[u8]) {
        for block in bytes.chunks_exact(64) {
            let mut w = [0u32; 64];
            for (slot, four) in w.iter_mut().zip(block.chunks_exact(4)) {
                *slot = four.iter().fold(0, |n, b| n << 8 | u32::from(*b));
            }
            for i in 16..64 {
                let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
                let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
                w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
            }
            // The names of the standard: s[0] is a, s[7] is h.
            let mut s = self.state;
            for i in 0..64 {
                let s1 = s[4].rotate_right(6) ^ s[4].rotate_right(11) ^ s[4].rotate_right(25);
                let choice = (s[4] & s[5]) ^ (!s[4] & s[6]);
                let t1 = s[7].wrapping_add(s1).wrapping_add(choice).wrapping_add(K[i]).wrapping_add(w[i]);
                let s0 = s[0].rotate_right(2) ^ s[0].rotate_right(13) ^ s[0].rotate_right(22);
                let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
                s.copy_within(0..7, 1);
                s[4] = s[4].wrapping_add(t1);
                s[0] = t1.wrapping_add(s0.wrapping_add(majority));
            }
            for (sum, new) in self.state.iter_mut().zip(s) {
                *sum = sum.wrapping_add(new);
            }
        }
    }
}

/// The hash of some bytes.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut hash = Sha256::default();
    hash.update(bytes);
    hash.hex()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_values_of_the_standard() {
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(hex(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        assert_eq!(hex(&vec![b'a'; 1_000_000]), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    #[test]
    fn pieces_of_any_size_give_the_same_value() {
        let data: Vec<u8> = (0..=255u8).cycle().take(300).collect();
        for size in [1, 7, 63, 64, 65, 128, 299] {
            let mut hash = Sha256::default();
            data.chunks(size).for_each(|c| hash.update(c));
            assert_eq!(hash.hex(), hex(&data), "pieces of {size}");
        }
    }
}
