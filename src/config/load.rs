//! Reading configuration files into [`super::Config`].
