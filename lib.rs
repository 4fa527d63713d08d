#![no_std]
pub mod poly1305;
